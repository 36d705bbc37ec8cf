/** Tells a user who is not an admin what they cannot see. */
export function AdminsOnly({ what }: { what: string }) {
  return (
    <div class="empty">
      <h2>For admins</h2>
      <p class="muted">Only admins of the account see and change {what}. Ask one of them.</p>
    </div>
  );
}
