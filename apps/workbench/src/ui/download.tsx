/** A button that saves a file. @param make builds the file when it is needed */
export function Download({ label, make }: { label: string; make: () => File }) {
  return (
    <button type="button" onClick={() => saveFile(make())}>
      {label}
    </button>
  );
}

/** Lets the browser save a file. */
export function saveFile(file: File): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
