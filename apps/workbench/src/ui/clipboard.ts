/**
 * Copies a text. Browsers offer the clipboard only over https or on this machine, so other pages copy a selected text.
 * @returns false if the browser does not allow it
 */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedFromSelection(text);
  }
}

function copiedFromSelection(text: string): boolean {
  const former = document.activeElement as HTMLElement | null;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'hidden';
  document.body.append(area);
  area.select();
  // This is the only way without https.
  const isDone = document.execCommand('copy');
  area.remove();
  former?.focus();
  return isDone;
}
