/** A button that saves a file. @param make builds the file when it is needed */
export function Download({ label, make }: { label: string; make: () => File }) {
  const save = () => {
    const file = make();
    const link = document.createElement('a');
    link.href = URL.createObjectURL(file);
    link.download = file.name;
    link.click();
    // The browser reads the file after the click.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  return (
    <button type="button" onClick={save}>
      {label}
    </button>
  );
}
