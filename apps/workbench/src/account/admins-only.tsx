import type { ComponentChildren } from 'preact';

/** Tells a user who is not an admin what they cannot see. */
export function AdminsOnly({ children }: { children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>For admins</h2>
      <p class="muted">{children} Ask one of them.</p>
    </div>
  );
}
