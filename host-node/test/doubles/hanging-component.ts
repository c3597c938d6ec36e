/** A component that never finishes loading. */
export function instantiate(): never {
  for (;;);
}
