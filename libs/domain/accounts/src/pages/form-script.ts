/** A script that can show the password while the user types it. The page works without the script. */
export const formScript = `
for (const input of document.querySelectorAll('input[type=password]')) {
  const button = document.createElement('button');
  const say = (shown) => {
    input.type = shown ? 'text' : 'password';
    button.textContent = shown ? 'Hide' : 'Show';
    button.setAttribute('aria-label', shown ? 'Hide the password' : 'Show the password');
  };
  button.type = 'button';
  button.className = 'show';
  button.addEventListener('click', () => say(input.type === 'password'));
  input.form.addEventListener('submit', () => say(false));
  say(false);
  input.after(button);
}
`;
