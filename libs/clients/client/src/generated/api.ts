// Written by `npm run docs:client` from docs/openapi.json and docs/errors.md: do not edit.
/* eslint-disable */
export interface ErrorBody {
    /**
     * @description The HTTP status.
     * @example 400
     */
    statusCode: number;
    /**
     * @description Stable code that programs can rely on.
     * @example validation_failed
     */
    code: string;
    /**
     * @description The HTTP reason phrase of the status.
     * @example Bad Request
     */
    error: string;
    /** @description One sentence for people: what is wrong, where, and what would be right. */
    message: string;
}
export interface Health {
    /** @example ok */
    status: string;
}
export interface GoogleClassProgress {
    /** @description Its id at Google; null without an issuer. */
    id: string | null;
    /**
     * @description `none`: nobody has asked for a link yet. `current`: Google has it as it is. `waiting`: a change is on its way. `refused`: Google does not take it, see `problem`; it waits for a change.
     * @enum {string}
     */
    state: "none" | "current" | "waiting" | "refused";
    /**
     * Format: date-time
     * @description When Google took it last.
     */
    sentAt: string | null;
    /** @description What Google had against it the last time. */
    problem: string | null;
}
export interface GoogleObjectsProgress {
    /**
     * @description Passes that somebody asked a link for.
     * @example 1204
     */
    total: number;
    /**
     * @description Of these, those whose last change is on its way.
     * @example 12
     */
    waiting: number;
    /**
     * @description Of these, those that Google does not take; see `problem`.
     * @example 0
     */
    refused: number;
    /**
     * @description Of these, those that are in a wallet, as far as Google has told.
     * @example 987
     */
    installed: number;
    /** @description What Google had against one of the refused. */
    problem: string | null;
}
export interface GoogleProgressResponse {
    /** @description True without an issuer: nothing is written to Google. */
    development: boolean;
    /** @description Set while Google refuses the service account. */
    halt: {
        /**
         * @description What Google said.
         * @example permissionDenied: the service account is no user
         */
        reason: string;
        /** Format: date-time */
        since: string;
        /**
         * Format: date-time
         * @description When the next try is made.
         */
        retryAt: string;
    } | null;
    class: GoogleClassProgress;
    objects: GoogleObjectsProgress;
    /**
     * Format: date-time
     * @description When all that waits will be with Google at the pace of its quota, if nobody else uses it; null when nothing waits.
     */
    doneBy: string | null;
}
export interface GoogleDeliveryResponse {
    /**
     * @description `none`: nobody has asked for its link yet. `current`: Google has it as it is. `waiting`: a change is on its way. `refused`: Google does not take it, see `problem`.
     * @enum {string}
     */
    state: "none" | "current" | "waiting" | "refused";
    /**
     * Format: date-time
     * @description When Google took it last.
     */
    sentAt: string | null;
    /** @description What Google had against it the last time. */
    problem: string | null;
    /**
     * @description How often holders have saved it, as far as Google has told.
     * @example 2
     */
    saves: number;
    /**
     * @description How often holders have removed it.
     * @example 1
     */
    removals: number;
}
export interface PushResponse {
    /** @enum {string} */
    state: "on" | "off" | "halted";
    /** @description Why they are not pushed. */
    reason: string | null;
    /**
     * Format: date-time
     * @description When it is tried again, while halted.
     */
    retryAt: string | null;
}
export interface ComplaintResponse {
    /**
     * Format: date-time
     * @description When it arrived.
     */
    at: string;
    /** @description As the device says it, at most 500 characters; device identifiers are left out. */
    line: string;
    /** @description What such a line means; null when it is not known. */
    meaning: string | null;
}
export interface DeviceDeliveryResponse {
    /**
     * @description A name of ours: what the device calls itself is a secret.
     * @example n3K8vQxZ2mT7yLcW5bHf0R
     */
    deviceId: string;
    /** @enum {string} */
    verdict: "up_to_date" | "waiting" | "stale" | "updates_off";
    /** @description The verdict in words, and what happens next. */
    explanation: string;
    /**
     * Format: date-time
     * @description When the device asked for updates of the pass; null when it no longer takes any.
     */
    registeredAt: string | null;
    pushed: {
        /**
         * Format: date-time
         * @description When it was sent.
         */
        at: string;
        /**
         * @description The push service's id for it; null when it was not sent.
         * @example 123e4567-e89b-12d3-a456-42665544000a
         */
        id: string | null;
        /**
         * @description The push service's answer: 200 says accepted, no more.
         * @example 200
         */
        status: number | null;
        /**
         * @description Why not, when it was not accepted.
         * @example ServiceUnavailable
         */
        reason: string | null;
        /**
         * @description How many pushes were accepted since it last fetched something.
         * @example 1
         */
        attempts: number;
    } | null;
    listed: {
        /**
         * Format: date-time
         * @description When the device last asked which of its passes have changed.
         */
        at: string;
    } | null;
    fetched: {
        /**
         * Format: date-time
         * @description When the device last asked for the pass.
         */
        at: string;
        /**
         * @description 200, or 304 when it had that version already.
         * @example 200
         */
        status: number | null;
        /**
         * Format: date-time
         * @description The version it has had since, by its time.
         */
        version: string;
    } | null;
    /** @description Lines that name the device, the newest first. */
    complained: ComplaintResponse[];
    /**
     * Format: date-time
     * @description When it is pushed next, unless it fetches the change before.
     */
    nextPush: string | null;
}
export interface DeliveryResponse {
    /**
     * Format: date-time
     * @description The current version of the pass, by its time: the later one of its own last change and its template’s.
     */
    version: string;
    walletB: GoogleDeliveryResponse;
    push: PushResponse;
    /** @description Lines that name none of these devices, the newest first. */
    complaints: ComplaintResponse[];
    devices: DeviceDeliveryResponse[];
    /** @description Pass it as `cursor` for the next devices; null on the last page. */
    nextCursor: string | null;
}
export interface SendPassRequest {
    /**
     * @description Who gets it: one address and nothing else.
     * @example ada@example.com
     */
    to: string;
    /**
     * @description Who gets what the holder answers: one address; without one, the sender of all mails.
     * @example box-office@example.com
     */
    replyTo?: string;
    /**
     * @description One line; without one, the subject names the issuer and the title.
     * @example Your seat for Saturday
     */
    subject?: string;
    /**
     * @description Your own words to the holder, shown as plain text with their line breaks.
     * @example Dear Ada,
     *     we look forward to seeing you.
     */
    message?: string;
    /**
     * @description The language of what the mail says itself; without one, that of the installation's passes.
     * @example en
     * @enum {string}
     */
    lang?: "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "pl" | "ar" | "he" | "ja";
}
export interface PassMailResponse {
    /** @example 3kTq9ZbXcVn1MlPoIu7Yt2 */
    id: string;
    /** @example ada@example.com */
    to: string;
    /** @example Your pass from Harbour Hall: Autumn concert */
    subject: string;
    /**
     * @description `queued`: it is on its way; when the mail server does not take it, it is tried again for about 16 hours, see `problem`. `sent`: the mail server has taken it. `failed`: it is not tried any more, see `problem`.
     * @enum {string}
     */
    status: "queued" | "sent" | "failed";
    /**
     * @description How often sending it was begun.
     * @example 1
     */
    attempts: number;
    /** @description Why it was not sent yet, or never will be. */
    problem: string | null;
    /** Format: date-time */
    createdAt: string;
    /**
     * Format: date-time
     * @description When the mail server took it.
     */
    sentAt: string | null;
}
export interface PreviewPicture {
    /**
     * @description Where the pass is shown.
     * @example walletA
     * @enum {string}
     */
    wallet: "walletA" | "walletB" | "web";
    /**
     * @description The phone's appearance.
     * @example light
     * @enum {string}
     */
    theme: "light" | "dark";
    /** @example http://localhost:3000/v1/templates/summer-sale/preview?wallet=walletA&theme=light&format=svg */
    svgUrl: string;
    /** @example http://localhost:3000/v1/templates/summer-sale/preview?wallet=walletA&theme=light&format=png */
    pngUrl: string;
}
export interface LintFinding {
    /**
     * @description The rule; see docs/template-lint.md. Ids are stable.
     * @example duplicate-key
     */
    rule: string;
    /**
     * @description Which document `path` is in; `service` for what the operator has set.
     * @example template
     * @enum {string}
     */
    in: "template" | "pass" | "service";
    /**
     * @description JSON path of the value; `$.` and what follows, or a dollar sign alone for the whole.
     * @example $.backFields[0].key
     */
    path: string;
    /**
     * @description An `error` is refused when template or pass are saved.
     * @example error
     * @enum {string}
     */
    severity: "error" | "warning" | "info";
    /**
     * @description Where it shows.
     * @example all
     * @enum {string}
     */
    wallet: "walletA" | "walletB" | "web" | "all";
    /**
     * @description What is wrong.
     * @example "seat" is also a key of fields
     */
    message: string;
    /**
     * @description What would be right.
     * @example keys are unique over front and back
     */
    fix: string;
}
export interface PreviewCut {
    /**
     * @description Where it is cut.
     * @example walletA
     * @enum {string}
     */
    wallet: "walletA" | "walletB" | "web";
    /**
     * @description Which document `path` is in.
     * @example template
     * @enum {string}
     */
    in: "template" | "pass";
    /**
     * @description JSON path of the text.
     * @example $.title
     */
    path: string;
    /** @example Twenty per cent off everything, all summer long */
    text: string;
    /**
     * @description What is left of it.
     * @example Twenty per cent off everyth…
     */
    shown: string;
}
export interface PreviewAnswer {
    /** @description All pictures there are. */
    pictures: PreviewPicture[];
    /** @description What the template lint finds: errors first. */
    findings: LintFinding[];
    /** @description The texts that do not fit, measured with a font that is about as wide as the phone's. */
    cut: PreviewCut[];
}
export interface Field {
    /**
     * @description Identifies the field; never shown. Unique over fields and backFields. A leading `_` is reserved.
     * @example discount
     */
    key: string;
    /**
     * @description Shown with the value.
     * @example Discount
     */
    label: string;
    /**
     * @description What is shown; may be empty.
     * @example 20 %
     */
    value: string;
    /**
     * @description What the lock screen says when the value has changed, `%@` standing for the new value; empty or null for nothing, `<label>: %@` when left out. Wallet A only.
     * @example Your discount is %@ now
     */
    changeMessage?: string | null;
}
export interface BackField {
    /**
     * @description Identifies the field; never shown. Unique over fields and backFields. A leading `_` is reserved.
     * @example terms
     */
    key: string;
    /**
     * @description Shown with the value.
     * @example Terms
     */
    label: string;
    /**
     * @description Text, a number or a URL, as a string; may be empty.
     * @example https://example.com/terms
     */
    value: string;
}
export interface Location {
    /**
     * @description Name of the place.
     * @example City Hall
     */
    name?: string;
    /**
     * @description Address of the place.
     * @example Rådhusplassen 1, 0037 Oslo
     */
    address: string;
    /**
     * @description In degrees.
     * @example 59.9122
     */
    latitude: number;
    /**
     * @description In degrees.
     * @example 10.7334
     */
    longitude: number;
    /**
     * @description What the lock screen says when the device arrives; the name, then the address, when there is none. Wallet A only.
     * @example Show your pass at the counter
     */
    relevantText?: string;
}
export interface PassResponse {
    /** @example ada */
    id: string;
    /** @example summer-sale */
    templateId: string;
    /** @example acc_3kTq9ZbXcVn1MlPoIu7Yt2 */
    accountId: string;
    /** @example SUMMER-0001 */
    code: string;
    /**
     * Format: date-time
     * @example 2026-06-01T00:00:00.000Z
     */
    validFrom?: string;
    /**
     * Format: date-time
     * @example 2026-12-31T23:00:00.000Z
     */
    expiry?: string;
    /**
     * @description Voided itself, or its template is archived.
     * @example false
     */
    voided: boolean;
    /** @example Ada Lovelace */
    primaryValue?: string;
    fields: Field[];
    backFields: BackField[];
    locations: Location[];
    /**
     * @example {
     *       "order": "A-1042",
     *       "tier": 2
     *     }
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Format: date-time
     * @description When it was redeemed.
     */
    redeemedAt?: string;
    /**
     * Format: date-time
     * @example 2026-05-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The last change of the pass itself that a holder sees; a change of the metadata alone is none. That of its template, an archive included, is the `updatedAt` of the template.
     * @example 2026-05-20T10:00:00.000Z
     */
    updatedAt: string;
}
export interface PassWithLinks {
    /** @description The Apple Wallet package; public. */
    walletAUrl: string;
    /** @description The Google Wallet save link; public. */
    walletBUrl: string;
    /** @description The web view; public. */
    webUrl: string;
    pass: PassResponse;
}
export interface PassRequest {
    /**
     * @description Its id: give it one of your own, or leave it out for an unguessable one. Cannot be changed.
     * @example ada
     */
    id?: string | null;
    /**
     * @description What the barcode says, unique in the template; without one, an unguessable one is chosen.
     * @example SUMMER-0001
     */
    code?: string | null;
    /**
     * Format: date-time
     * @description Not valid before.
     * @example 2026-06-01T00:00:00.000Z
     */
    validFrom?: string | null;
    /**
     * Format: date-time
     * @description Not valid from then on; later than `validFrom`.
     * @example 2026-12-31T23:00:00.000Z
     */
    expiry?: string | null;
    /**
     * @description The value of the template's `primaryLabel`: required for generic and membership, refused for others.
     * @example Ada Lovelace
     */
    primaryValue?: string | null;
    /**
     * @description Address of an image instead of the template's thumbnail; generic templates only.
     * @example http://localhost:3000/images/samples/thumbnail.png
     */
    thumbnail?: string | null;
    /** @description By `key`, each replaces the template's field of that key; a new key is appended. At most 4 on the front in all. */
    fields?: Field[] | null;
    /** @description The same for the back. Keys are unique over front and back. */
    backFields?: BackField[] | null;
    /** @description After the template's; at most 10 in all. */
    locations?: Location[] | null;
    /**
     * @description Whether the pass is void.
     * @example false
     */
    voided?: boolean | null;
    /**
     * @description For internal use: never shown by a pass. At most 5000 characters when serialised.
     * @example {
     *       "order": "A-1042",
     *       "tier": 2
     *     }
     */
    metadata?: {
        [key: string]: unknown;
    } | null;
}
export interface Notification {
    /**
     * @description Of the field; `_primary` is the primary value.
     * @example points
     */
    key: string;
    /**
     * @description What the lock screen says.
     * @example Points: 120
     */
    message: string;
}
export interface Notifications {
    /** @description By Apple Wallet. */
    walletA: Notification[];
    /** @description By Google Wallet. */
    walletB: Notification[];
}
export interface ChangedPassWithLinks {
    /** @description The Apple Wallet package; public. */
    walletAUrl: string;
    /** @description The Google Wallet save link; public. */
    walletBUrl: string;
    /** @description The web view; public. */
    webUrl: string;
    pass: PassResponse;
    /** @description The lines that this change makes phones show which hold the pass with updates on; whatever else has changed, they take over silently. */
    notifications: Notifications;
}
export interface ListedPass {
    /** @example ada */
    id: string;
    /** @example summer-sale */
    templateId: string;
    /** @example acc_3kTq9ZbXcVn1MlPoIu7Yt2 */
    accountId: string;
    /** @example SUMMER-0001 */
    code: string;
    /**
     * Format: date-time
     * @example 2026-06-01T00:00:00.000Z
     */
    validFrom?: string;
    /**
     * Format: date-time
     * @example 2026-12-31T23:00:00.000Z
     */
    expiry?: string;
    /**
     * @description Voided itself, or its template is archived.
     * @example false
     */
    voided: boolean;
    /** @example Ada Lovelace */
    primaryValue?: string;
    fields: Field[];
    backFields: BackField[];
    locations: Location[];
    /**
     * @example {
     *       "order": "A-1042",
     *       "tier": 2
     *     }
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Format: date-time
     * @description When it was redeemed.
     */
    redeemedAt?: string;
    /**
     * Format: date-time
     * @example 2026-05-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The last change of the pass itself that a holder sees; a change of the metadata alone is none. That of its template, an archive included, is the `updatedAt` of the template.
     * @example 2026-05-20T10:00:00.000Z
     */
    updatedAt: string;
    /** @description The Apple Wallet package; public. */
    walletAUrl: string;
    /** @description The Google Wallet save link; public. */
    walletBUrl: string;
    /** @description The web view; public. */
    webUrl: string;
}
export interface PassPatch {
    /**
     * @description Its id: give it one of your own, or leave it out for an unguessable one. Cannot be changed.
     * @example ada
     */
    id?: string | null;
    /**
     * @description What the barcode says, unique in the template; without one, an unguessable one is chosen.
     * @example SUMMER-0001
     */
    code?: string | null;
    /**
     * Format: date-time
     * @description Not valid before.
     * @example 2026-06-01T00:00:00.000Z
     */
    validFrom?: string | null;
    /**
     * Format: date-time
     * @description Not valid from then on; later than `validFrom`.
     * @example 2026-12-31T23:00:00.000Z
     */
    expiry?: string | null;
    /**
     * @description The value of the template's `primaryLabel`: required for generic and membership, refused for others.
     * @example Ada Lovelace
     */
    primaryValue?: string | null;
    /**
     * @description Address of an image instead of the template's thumbnail; generic templates only.
     * @example http://localhost:3000/images/samples/thumbnail.png
     */
    thumbnail?: string | null;
    /** @description By `key`, each replaces the template's field of that key; a new key is appended. At most 4 on the front in all. */
    fields?: Field[] | null;
    /** @description The same for the back. Keys are unique over front and back. */
    backFields?: BackField[] | null;
    /** @description After the template's; at most 10 in all. */
    locations?: Location[] | null;
    /**
     * @description Whether the pass is void.
     * @example false
     */
    voided?: boolean | null;
    /**
     * @description Merged into what is there; a property that is null goes. For internal use: never shown by a pass. At most 5000 characters when serialised.
     * @example {
     *       "tier": 3
     *     }
     */
    metadata?: {
        [key: string]: unknown;
    } | null;
}
export interface PassMetadataRequest {
    /**
     * @description Instead of what is there. For internal use: never shown by a pass. At most 5000 characters when serialised.
     * @example {
     *       "order": "A-1042",
     *       "tier": 2
     *     }
     */
    metadata: {
        [key: string]: unknown;
    };
}
export interface AuditActorResponse {
    /** @enum {string} */
    kind: "user" | "apiKey" | "system";
    /** @description The `uid` of the user or the id of the key. */
    id: string | null;
    /** @description The name the user or key has now; null when there is none of this id any more. */
    name: string | null;
}
export interface AuditTargetResponse {
    /** @example template */
    kind: string;
    /**
     * @description Of a pass, `<templateId>:<passId>`. Null where the caller may not read it.
     * @example summer
     */
    id: string | null;
}
export interface AuditEventResponse {
    id: string;
    /** Format: date-time */
    at: string;
    actor: AuditActorResponse;
    /** @example template.changed */
    action: string;
    target: AuditTargetResponse;
    /** @description The address it came from; null for the system. */
    ip: string | null;
    /** @description `X-Request-Id` of the answer. */
    requestId: string | null;
    /** @description What has changed, as it was. Never secrets. */
    before: {
        [key: string]: unknown;
    } | null;
    /** @description And as it is since. */
    after: {
        [key: string]: unknown;
    } | null;
}
export interface RegisterRequest {
    /**
     * @description Signs the user in; unique, upper and lower case being the same.
     * @example ada@example.com
     */
    email: string;
    /**
     * @description 8 to 200 characters, any on one line.
     * @example correct horse battery staple
     */
    password: string;
    /**
     * @description The user's name.
     * @example Ada Lovelace
     */
    name: string;
    /**
     * @description The new account's name.
     * @example Analytical Engines
     */
    accountName: string;
}
export interface TokensResponse {
    /** @description Send it as `Authorization: Bearer …`. It names the user and the active account. */
    accessToken: string;
    /**
     * @description Works once, for the next pair of tokens.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP.ses_9aQe3Zr6Uy1Ht5Nk8Mb2Xc.q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw
     */
    refreshToken: string;
    /**
     * @example Bearer
     * @enum {string}
     */
    tokenType: "Bearer";
    /**
     * @description How long the access token lives, in seconds.
     * @example 900
     */
    expiresIn: number;
    /**
     * @description The active account.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP
     */
    accountId: string;
}
export interface LoginRequest {
    /**
     * @description The e-mail, in upper or lower case.
     * @example ada@example.com
     */
    email: string;
    /**
     * @description The password.
     * @example correct horse battery staple
     */
    password: string;
    /** @description The account to act on. Default: the one the user has been in longest. */
    accountId?: string;
}
export interface RefreshTokenRequest {
    /**
     * @description The latest refresh token.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP.ses_9aQe3Zr6Uy1Ht5Nk8Mb2Xc.q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw
     */
    refreshToken: string;
}
export interface SwitchRequest {
    /**
     * @description An account the user is in.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP
     */
    accountId: string;
}
export interface ForgotPasswordRequest {
    /**
     * @description The user's e-mail, in upper or lower case.
     * @example ada@example.com
     */
    email: string;
}
export interface ResetPasswordRequest {
    /**
     * @description The code in the link of the e-mail.
     * @example q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw
     */
    code: string;
    /**
     * @description 8 to 200 characters, any on one line.
     * @example correct horse battery staple
     */
    password: string;
}
export interface ChangePasswordRequest {
    /**
     * @description The password up to now.
     * @example correct horse battery staple
     */
    currentPassword: string;
    /**
     * @description 8 to 200 characters, any on one line.
     * @example a cat walked over my keyboard
     */
    newPassword: string;
}
export interface ChangeEmailRequest {
    /**
     * @description The new e-mail, which is to be confirmed.
     * @example ada.lovelace@example.com
     */
    email: string;
    /**
     * @description The user's password.
     * @example correct horse battery staple
     */
    password: string;
}
export interface ConfirmEmailRequest {
    /**
     * @description The code in the link of the e-mail.
     * @example q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw
     */
    code: string;
}
export interface SessionResponse {
    /** @example ses_9aQe3Zr6Uy1Ht5Nk8Mb2Xc */
    id: string;
    /**
     * @description The account that it acts on.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP
     */
    accountId: string;
    /** @example Analytical Engines */
    accountName: string;
    /**
     * Format: date-time
     * @description When it was opened.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description When it was opened or refreshed last.
     */
    lastUsedAt: string;
    /** @description From where it was opened or refreshed last. */
    ip: string | null;
    /**
     * @description What the program that opened it calls itself, at most 200 characters.
     * @example Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0
     */
    userAgent: string | null;
    /** @description Whether it is the one of this request. */
    current: boolean;
}
/**
 * @description What the key may do. Default: everything you may, but `account:write`.
 * @enum {string}
 */
export type Scope = "templates:read" | "templates:write" | "passes:read" | "passes:write" | "members:read" | "members:write" | "account:read" | "account:write";
export interface NewApiKeyRequest {
    /**
     * @description What the key is for; one line.
     * @example Web shop
     */
    name: string;
    /** @description What the key may do. Default: everything you may, but `account:write`. */
    scopes?: Scope[];
    /** @description The only tools that agents see and call at `/mcp` with the key. Default: all that there are. Other requests with the key are limited by its scopes alone. */
    tools?: string[] | null;
    /**
     * Format: date-time
     * @description When the key ends by itself. Default: never.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiresAt?: string;
}
export interface ApiKeyWithSecretResponse {
    /** @example 4fzTm0Jd8xYc2LqWvB7RkP */
    id: string;
    /** @example Web shop */
    name: string;
    /**
     * @description How the key begins.
     * @example pw_live_4fzTm0Jd8xYc2LqWvB7RkP
     */
    prefix: string;
    scopes: Scope[];
    /**
     * @description The only tools that agents see and call at `/mcp` with the key. Null: all.
     * @example [
     *       "listTemplates",
     *       "createPass"
     *     ]
     */
    tools: string[] | null;
    /**
     * Format: date-time
     * @description Null: never.
     */
    expiresAt: string | null;
    /**
     * Format: date-time
     * @description To the minute. Null: never used.
     */
    lastUsedAt: string | null;
    /** Format: date-time */
    createdAt: string;
    /**
     * @description The whole key, shown this once. Send it as `Authorization: Bearer pw_live_…`.
     * @example pw_live_4fzTm0Jd8xYc2LqWvB7RkP_n3K8vQxZ2mT7yLcW5bHf0RjD9sPgA4eUiV6oXqM1tYB4d92Ez
     */
    key: string;
}
export interface ApiKeyResponse {
    /** @example 4fzTm0Jd8xYc2LqWvB7RkP */
    id: string;
    /** @example Web shop */
    name: string;
    /**
     * @description How the key begins.
     * @example pw_live_4fzTm0Jd8xYc2LqWvB7RkP
     */
    prefix: string;
    scopes: Scope[];
    /**
     * @description The only tools that agents see and call at `/mcp` with the key. Null: all.
     * @example [
     *       "listTemplates",
     *       "createPass"
     *     ]
     */
    tools: string[] | null;
    /**
     * Format: date-time
     * @description Null: never.
     */
    expiresAt: string | null;
    /**
     * Format: date-time
     * @description To the minute. Null: never used.
     */
    lastUsedAt: string | null;
    /** Format: date-time */
    createdAt: string;
}
export interface OwnAccountResponse {
    /** @example acc_4fzTm0Jd8xYc2LqWvB7RkP */
    id: string;
    /** @example Analytical Engines */
    name: string;
    /**
     * @description Whether the user is an admin of it.
     * @example true
     */
    isAdmin: boolean;
}
export interface ProfileResponse {
    /** @example usr_9aQe3Zr6Uy1Ht5Nk8Mb2Xc */
    uid: string;
    /** @example Ada Lovelace */
    name: string;
    /** @example ada@example.com */
    email: string;
    /**
     * @description The active account.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP
     */
    accountId: string;
    /** @description The one the user has been in longest first; at most 100. `POST /v1/auth/switch` goes to another. */
    accounts: OwnAccountResponse[];
}
export interface ProfilePatch {
    /**
     * @description The user's name. It cannot be cleared.
     * @example Ada Lovelace
     */
    name?: string;
}
export interface NewAccountRequest {
    /**
     * @description The new account's name.
     * @example Difference Engines
     */
    name: string;
}
export interface AccountUserResponse {
    /** @example Ada Lovelace */
    name: string;
    /** @example ada@example.com */
    email: string;
    /**
     * @description Admins manage people, keys and settings; the others do everything with templates, passes and members.
     * @example true
     */
    isAdmin: boolean;
}
export interface AccountMemberResponse {
    /** @example usr_9aQe3Zr6Uy1Ht5Nk8Mb2Xc */
    uid: string;
    user: AccountUserResponse;
}
export interface AccountUsageResponse {
    /**
     * @description Passes created in the current billing period.
     * @example 4
     */
    passCreations: number;
    /**
     * @description Passes that are neither void nor expired.
     * @example 3
     */
    activePasses: number;
}
export interface AccountStorageResponse {
    /**
     * @description Bytes of images: uploads, and the sizes that are made of images.
     * @example 1204311
     */
    imageBytes: number;
    /**
     * @description Bytes of images at most. Absent: no limit.
     * @example 5368709120
     */
    maxImageBytes?: number;
}
export interface InviteResponse {
    /**
     * @description Admits the invited person once, as a user who is not an admin and is not registered yet, or together with their access token. Everything else takes the code that was sent by e-mail. An API key gets the `ref` here.
     * @example 4fzTm0Jd8xYc2LqWvB7RkPn3K8vQxZ2mT7yLcW5bHf0w
     */
    code: string;
    /**
     * Format: date-time
     * @description Until when it can be accepted: 7 days.
     */
    expiry: string;
    /**
     * @description Names the invitation without letting anybody in: in the audit trail, and to withdraw it.
     * @example 4fzTm0Jd8xYc2LqWvB7RkP
     */
    ref: string;
    /** @example grace@example.com */
    email: string;
    /**
     * @description Whether the invited will be an admin.
     * @example false
     */
    isAdmin: boolean;
}
/** @enum {string} */
export type SubscriptionStatus = "trialing" | "active" | "past_due" | "canceled" | "unpaid";
export interface SubscriptionResponse {
    /** @example pro */
    planId: string;
    status: SubscriptionStatus;
    /**
     * @description The payment provider's id of it.
     * @example sub_1RkFQ2Lx4nB7
     */
    paymentSubscriptionId?: string;
    /**
     * Format: date-time
     * @example 2026-11-01T00:00:00.000Z
     */
    currentPeriodStart: string;
    /**
     * Format: date-time
     * @example 2026-12-01T00:00:00.000Z
     */
    currentPeriodEnd: string;
    /**
     * @description How often a new period begins.
     * @enum {string}
     */
    period: "month" | "year";
}
export interface EnterpriseConfigResponse {
    /**
     * @description Templates at most, those that are archived not counted. Absent: no limit.
     * @example 50
     */
    maxTemplates?: number;
    /**
     * @description Passes that may be created in a billing period. Absent: no limit.
     * @example 100000
     */
    maxPassCreations?: number;
}
export interface BillingResponse {
    /**
     * @description The payment provider's id of the account.
     * @example cus_S7tq0XyB2
     */
    paymentCustomerId?: string;
    subscription?: SubscriptionResponse;
    enterpriseConfig: EnterpriseConfigResponse;
}
export interface AccountDeletionResponse {
    /**
     * Format: date-time
     * @example 2026-11-20T10:00:00.000Z
     */
    requestedAt: string;
    /**
     * Format: date-time
     * @description Until then an admin can take it back.
     * @example 2026-11-27T10:00:00.000Z
     */
    deletesAt: string;
}
export interface AccountResponse {
    /** @example acc_4fzTm0Jd8xYc2LqWvB7RkP */
    id: string;
    /** @example Analytical Engines */
    name: string;
    /**
     * @description Absent where none is set.
     * @example Mechanical computing
     */
    industry?: string;
    /** @description Those who have been in it longest first; at most 1000. */
    members: AccountMemberResponse[];
    usage: AccountUsageResponse;
    storage: AccountStorageResponse;
    /** @description Those that can be accepted, the newest first. For admins, and API keys with `account:write`; else empty. */
    invites: InviteResponse[];
    billing: BillingResponse;
    /** @description Absent unless the account is being deleted. */
    deletion?: AccountDeletionResponse;
}
export interface AccountPatch {
    /**
     * @description What the account is called. It cannot be cleared.
     * @example Analytical Engines
     */
    name?: string;
    /**
     * @description What the account is busy with. Null clears it.
     * @example Mechanical computing
     */
    industry?: string;
}
export interface RoleRequest {
    /**
     * @description Whether the user is an admin of the account.
     * @example true
     */
    isAdmin: boolean;
}
export interface DeleteAccountRequest {
    /**
     * @description Your password. Leave it out if you sign in through an identity provider and have none: then the session must be at most 15 minutes old.
     * @example correct horse battery staple
     */
    password?: string;
}
export interface InviteRequest {
    /**
     * @description Whom to invite; nobody else can accept.
     * @example grace@example.com
     */
    email: string;
    /**
     * @description Whether they will be an admin of the account. Default: false.
     * @example false
     */
    isAdmin?: boolean;
}
export interface InvitationResponse {
    /**
     * @description What the account is called.
     * @example Analytical Engines
     */
    accountName: string;
    /**
     * @description The address that was invited.
     * @example grace@example.com
     */
    email: string;
    /**
     * @description Whether the invited will be an admin.
     * @example false
     */
    isAdmin: boolean;
    /**
     * @description Who has invited; absent where it was a program.
     * @example Ada Lovelace
     */
    invitedBy?: string;
    /** Format: date-time */
    expiry: string;
    /**
     * @description Whether the invited has a user: then log in and accept with the access token; else with a name and a password. Only the code of the e-mail is told: who invites does not learn who is a user elsewhere.
     * @example false
     */
    userExists?: boolean;
}
export interface InviteAcceptance {
    /**
     * @description The new user's name. Leave it out with an access token.
     * @example Grace Hopper
     */
    name?: string;
    /**
     * @description Their password, 8 to 200 characters, any on one line. Leave it out with an access token.
     * @example correct horse battery staple
     */
    password?: string;
}
export interface UsageMonthResponse {
    /**
     * @description UTC.
     * @example 2026-11
     */
    month: string;
    /**
     * @description Passes created in it, deleted ones included.
     * @example 1204
     */
    passCreations: number;
    /**
     * @description Passes neither void nor expired: of the present month now, of a former one when it ended. Null for a month before these were kept.
     * @example 8310
     */
    activePasses: number | null;
}
export interface SignInCodeRequest {
    /**
     * @description The code from the fragment of `returnTo`: for one minute, once.
     * @example q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw
     */
    code: string;
}
export interface AppleCertificateRequestResponse {
    /**
     * @description The certificate signing request as PEM text, for Apple's developer portal.
     * @example -----BEGIN CERTIFICATE REQUEST-----
     *     MIIC…
     *     -----END CERTIFICATE REQUEST-----
     */
    request: string;
    /** Format: date-time */
    createdAt: string;
}
export interface ApplePushState {
    /**
     * @description `off`: this certificate cannot send pushes. `halted`: Apple's push service rejects the certificate; the service tries again at `retryAt`, and within a minute after the certificate changes.
     * @enum {string}
     */
    state: "on" | "off" | "halted";
    /** @description Why pushes are off or halted. */
    reason: string | null;
    /**
     * Format: date-time
     * @description The time since which pushes are halted.
     */
    since: string | null;
    /**
     * Format: date-time
     * @description The time of the next attempt while pushes are halted.
     */
    retryAt: string | null;
}
export interface AppleCertificateResponse {
    /**
     * @description `account`: the account's own certificate. `operator`: the certificate of the service's operator. `development`: neither exists, and phones reject the passes.
     * @enum {string}
     */
    source: "account" | "operator" | "development";
    /** @example pass.com.example.club */
    passTypeIdentifier: string | null;
    /** @example A1B2C3D4E5 */
    teamIdentifier: string | null;
    /** @example Analytical Engines Ltd */
    organizationName: string | null;
    /** @description SHA-256 of the certificate's DER, in lower-case hex. */
    fingerprint: string | null;
    /** Format: date-time */
    expiresAt: string | null;
    /** @description Whole days until the certificate expires. */
    daysLeft: number | null;
    /**
     * @description `expiring`: at most 60 days are left. `expired`: the service cannot sign, and downloads answer 503 `wallet_unavailable`.
     * @enum {string}
     */
    status: "valid" | "expiring" | "expired";
    /** @description True for a certificate from a development chain. Phones reject passes signed with it. */
    development: boolean;
    /** @description Why the service cannot sign with the certificate. */
    problem: string | null;
    /** @description The request that waits for its certificate. */
    request: {
        /**
         * @description The certificate signing request as PEM text, for Apple's developer portal.
         * @example -----BEGIN CERTIFICATE REQUEST-----
         *     MIIC…
         *     -----END CERTIFICATE REQUEST-----
         */
        request: string;
        /** Format: date-time */
        createdAt: string;
    } | null;
    push: ApplePushState;
}
export interface AppleCertificateUpload {
    /** @description A PKCS#12 file (`.p12`, `.pfx`) with certificate and key, in base64, such as a Keychain export. Send only its `passphrase` with it. */
    pkcs12?: string;
    /** @description The Pass Type ID certificate: PEM text, or the file in base64 (such as the `.cer` from the portal). Send it alone if its key belongs to the request made here or to the current certificate. */
    certificate?: string;
    /** @description The certificate's RSA private key: PEM text, or the file in base64. */
    privateKey?: string;
    /** @description The passphrase of the PKCS#12 file or of an encrypted private key. */
    passphrase?: string;
    /** @description The issuer's certificate: PEM text, or the file in base64. Default: the Apple WWDR certificate that issued it, if the service has it (G4). */
    intermediate?: string;
}
export interface GoogleServiceAccountResponse {
    /**
     * @description `account`: the account's own issuer. `operator`: the issuer of the service's operator. `development`: neither exists, and the service writes nothing to Google.
     * @enum {string}
     */
    source: "account" | "operator" | "development";
    /** @example 3388000000012345678 */
    issuerId: string | null;
    /** @example passes@example.iam.gserviceaccount.com */
    clientEmail: string | null;
    /** @description True if Google does not know the issuer. Save links are then for viewing only. */
    development: boolean;
    /**
     * Format: date-time
     * @description The service account, if it is the account's own.
     */
    uploadedAt: string | null;
    /**
     * @description `halted`: Google rejects the credential, or its key cannot be decrypted, so the service writes nothing. `problem` says why. Changes wait.
     * @enum {string}
     */
    state: "working" | "halted";
    /** @description Why writing is halted. */
    problem: string | null;
    /**
     * Format: date-time
     * @description The time of the next attempt while writing is halted.
     */
    retryAt: string | null;
}
export interface GoogleServiceAccountUpload {
    /**
     * @description The issuer id, as the Google Pay & Wallet Console shows it. Send it as text: a JSON number would lose its last digits.
     * @example 3388000000012345678
     */
    issuerId: string;
    /**
     * @description The service account's key file from Google Cloud (JSON): the object, or the file's text. The service uses `client_email`, `private_key` (RSA, PEM) and `private_key_id`, and stores nothing else; `type` must be `service_account`.
     * @example {
     *       "type": "service_account",
     *       "project_id": "example-club",
     *       "private_key_id": "0f1e2d3c4b5a69788796a5b4c3d2e1f001122334",
     *       "private_key": "-----BEGIN PRIVATE KEY-----\nMIIE…\n-----END PRIVATE KEY-----\n",
     *       "client_email": "passes@example-club.iam.gserviceaccount.com"
     *     }
     */
    serviceAccount: {
        [key: string]: unknown;
    } | string;
    /** @description Accepts another issuer although passes exist at Google under the current one. Those passes never update again. Default: false. */
    replaceIssuer?: boolean;
}
export interface GoogleServiceAccountCheck {
    /** @description True if Google lets the service account read the passes of the issuer. */
    works: boolean;
    /** @description Why the check failed, or why Google could not be reached. */
    problem: string | null;
}
export interface GoogleServiceAccountSaved {
    /**
     * @description `account`: the account's own issuer. `operator`: the issuer of the service's operator. `development`: neither exists, and the service writes nothing to Google.
     * @enum {string}
     */
    source: "account" | "operator" | "development";
    /** @example 3388000000012345678 */
    issuerId: string | null;
    /** @example passes@example.iam.gserviceaccount.com */
    clientEmail: string | null;
    /** @description True if Google does not know the issuer. Save links are then for viewing only. */
    development: boolean;
    /**
     * Format: date-time
     * @description The service account, if it is the account's own.
     */
    uploadedAt: string | null;
    /**
     * @description `halted`: Google rejects the credential, or its key cannot be decrypted, so the service writes nothing. `problem` says why. Changes wait.
     * @enum {string}
     */
    state: "working" | "halted";
    /** @description Why writing is halted. */
    problem: string | null;
    /**
     * Format: date-time
     * @description The time of the next attempt while writing is halted.
     */
    retryAt: string | null;
    check: GoogleServiceAccountCheck;
}
export interface OfferTemplate {
    /**
     * @description Unique in the account.
     * @example summer-sale
     */
    id: string;
    /**
     * @description The account that owns the template.
     * @example acc_3kTq9ZbXcVn1MlPoIu7Yt2
     */
    accountId: string;
    /** @description True if the template is archived: no new passes can be issued, and all its passes are void. */
    archived: boolean;
    /**
     * Format: date-time
     * @example 2026-11-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @example 2026-11-20T10:00:00.000Z
     */
    updatedAt: string;
    /**
     * @description Font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description Background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description Colour of labels; the foreground colour when unset. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; need not be square. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide picture, also used in link previews. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description Behind the web view; its background colour when unset. Web only. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description Title shown on the pass.
     * @example 20 % off your next visit
     */
    title: string;
    /**
     * @description Name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Takes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The barcode that shows the code of each pass: an addition of this service to the specification. Left out: `qr`. Code 128 holds up to 40 ASCII characters.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128";
    /** @description Where the passes come up on the lock screen; a pass's own locations are added. */
    locations?: Location[];
    /** @description On the front; a pass may replace each by its key. */
    fields?: Field[];
    /** @description On the back; a pass may replace each by its key. */
    backFields?: BackField[];
    /**
     * @description The kind of pass; `offer` when left out. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "offer";
}
export interface EventTemplate {
    /**
     * @description Unique in the account.
     * @example summer-sale
     */
    id: string;
    /**
     * @description The account that owns the template.
     * @example acc_3kTq9ZbXcVn1MlPoIu7Yt2
     */
    accountId: string;
    /** @description True if the template is archived: no new passes can be issued, and all its passes are void. */
    archived: boolean;
    /**
     * Format: date-time
     * @example 2026-11-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @example 2026-11-20T10:00:00.000Z
     */
    updatedAt: string;
    /**
     * @description Font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description Background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description Colour of labels; the foreground colour when unset. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; need not be square. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide picture, also used in link previews. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description Behind the web view; its background colour when unset. Web only. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description Title shown on the pass.
     * @example 20 % off your next visit
     */
    title: string;
    /**
     * @description Name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Takes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The barcode that shows the code of each pass: an addition of this service to the specification. Left out: `qr`. Code 128 holds up to 40 ASCII characters.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128";
    /** @description Where the passes come up on the lock screen; a pass's own locations are added. */
    locations?: Location[];
    /** @description On the front; a pass may replace each by its key. */
    fields?: Field[];
    /** @description On the back; a pass may replace each by its key. */
    backFields?: BackField[];
    /**
     * @description The kind of pass. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "event";
    /**
     * Format: date-time
     * @description When the event starts.
     * @example 2027-06-21T18:00:00.000Z
     */
    startDate: string;
    /** @description Where the event takes place. */
    location?: Location;
}
export interface GenericTemplate {
    /**
     * @description Unique in the account.
     * @example summer-sale
     */
    id: string;
    /**
     * @description The account that owns the template.
     * @example acc_3kTq9ZbXcVn1MlPoIu7Yt2
     */
    accountId: string;
    /** @description True if the template is archived: no new passes can be issued, and all its passes are void. */
    archived: boolean;
    /**
     * Format: date-time
     * @example 2026-11-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @example 2026-11-20T10:00:00.000Z
     */
    updatedAt: string;
    /**
     * @description Font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description Background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description Colour of labels; the foreground colour when unset. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; need not be square. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide picture, also used in link previews. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description Behind the web view; its background colour when unset. Web only. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description Title shown on the pass.
     * @example 20 % off your next visit
     */
    title: string;
    /**
     * @description Name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Takes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The barcode that shows the code of each pass: an addition of this service to the specification. Left out: `qr`. Code 128 holds up to 40 ASCII characters.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128";
    /** @description Where the passes come up on the lock screen; a pass's own locations are added. */
    locations?: Location[];
    /** @description On the front; a pass may replace each by its key. */
    fields?: Field[];
    /** @description On the back; a pass may replace each by its key. */
    backFields?: BackField[];
    /**
     * @description The kind of pass. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "generic";
    /**
     * @description Label of each pass's primary value.
     * @example Balance
     */
    primaryLabel: string;
    /**
     * @description In place of a banner, next to the primary value. Wallet A only. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/thumbnail.png
     */
    thumbnail: string;
}
export interface MembershipTemplate {
    /**
     * @description Unique in the account.
     * @example summer-sale
     */
    id: string;
    /**
     * @description The account that owns the template.
     * @example acc_3kTq9ZbXcVn1MlPoIu7Yt2
     */
    accountId: string;
    /** @description True if the template is archived: no new passes can be issued, and all its passes are void. */
    archived: boolean;
    /**
     * Format: date-time
     * @example 2026-11-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @example 2026-11-20T10:00:00.000Z
     */
    updatedAt: string;
    /**
     * @description Font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description Background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description Colour of labels; the foreground colour when unset. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; need not be square. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide picture, also used in link previews. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description Behind the web view; its background colour when unset. Web only. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description Title shown on the pass.
     * @example 20 % off your next visit
     */
    title: string;
    /**
     * @description Name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Takes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The barcode that shows the code of each pass: an addition of this service to the specification. Left out: `qr`. Code 128 holds up to 40 ASCII characters.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128";
    /** @description Where the passes come up on the lock screen; a pass's own locations are added. */
    locations?: Location[];
    /** @description On the front; a pass may replace each by its key. */
    fields?: Field[];
    /** @description On the back; a pass may replace each by its key. */
    backFields?: BackField[];
    /**
     * @description The kind of pass. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "membership";
    /**
     * @description Label of each pass's primary value.
     * @example Member
     */
    primaryLabel: string;
}
export interface OfferTemplateRequest {
    /**
     * @description Font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description Background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description Colour of labels; the foreground colour when unset. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; need not be square. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide picture, also used in link previews. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description Behind the web view; its background colour when unset. Web only. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description Title shown on the pass.
     * @example 20 % off your next visit
     */
    title: string;
    /**
     * @description Name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Takes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The barcode that shows the code of each pass: an addition of this service to the specification. Left out: `qr`. Code 128 holds up to 40 ASCII characters.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128";
    /** @description Where the passes come up on the lock screen; a pass's own locations are added. */
    locations?: Location[];
    /** @description On the front; a pass may replace each by its key. */
    fields?: Field[];
    /** @description On the back; a pass may replace each by its key. */
    backFields?: BackField[];
    /**
     * @description The kind of pass; `offer` when left out. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "offer";
}
export interface EventTemplateRequest {
    /**
     * @description Font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description Background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description Colour of labels; the foreground colour when unset. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; need not be square. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide picture, also used in link previews. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description Behind the web view; its background colour when unset. Web only. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description Title shown on the pass.
     * @example 20 % off your next visit
     */
    title: string;
    /**
     * @description Name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Takes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The barcode that shows the code of each pass: an addition of this service to the specification. Left out: `qr`. Code 128 holds up to 40 ASCII characters.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128";
    /** @description Where the passes come up on the lock screen; a pass's own locations are added. */
    locations?: Location[];
    /** @description On the front; a pass may replace each by its key. */
    fields?: Field[];
    /** @description On the back; a pass may replace each by its key. */
    backFields?: BackField[];
    /**
     * @description The kind of pass. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "event";
    /**
     * Format: date-time
     * @description When the event starts.
     * @example 2027-06-21T18:00:00.000Z
     */
    startDate: string;
    /** @description Where the event takes place. */
    location?: Location;
}
export interface GenericTemplateRequest {
    /**
     * @description Font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description Background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description Colour of labels; the foreground colour when unset. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; need not be square. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide picture, also used in link previews. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description Behind the web view; its background colour when unset. Web only. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description Title shown on the pass.
     * @example 20 % off your next visit
     */
    title: string;
    /**
     * @description Name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Takes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The barcode that shows the code of each pass: an addition of this service to the specification. Left out: `qr`. Code 128 holds up to 40 ASCII characters.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128";
    /** @description Where the passes come up on the lock screen; a pass's own locations are added. */
    locations?: Location[];
    /** @description On the front; a pass may replace each by its key. */
    fields?: Field[];
    /** @description On the back; a pass may replace each by its key. */
    backFields?: BackField[];
    /**
     * @description The kind of pass. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "generic";
    /**
     * @description Label of each pass's primary value.
     * @example Balance
     */
    primaryLabel: string;
    /**
     * @description In place of a banner, next to the primary value. Wallet A only. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/thumbnail.png
     */
    thumbnail: string;
}
export interface MembershipTemplateRequest {
    /**
     * @description Font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description Background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description Colour of labels; the foreground colour when unset. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; need not be square. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide picture, also used in link previews. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description Behind the web view; its background colour when unset. Web only. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description Title shown on the pass.
     * @example 20 % off your next visit
     */
    title: string;
    /**
     * @description Name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Takes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The barcode that shows the code of each pass: an addition of this service to the specification. Left out: `qr`. Code 128 holds up to 40 ASCII characters.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128";
    /** @description Where the passes come up on the lock screen; a pass's own locations are added. */
    locations?: Location[];
    /** @description On the front; a pass may replace each by its key. */
    fields?: Field[];
    /** @description On the back; a pass may replace each by its key. */
    backFields?: BackField[];
    /**
     * @description The kind of pass. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "membership";
    /**
     * @description Label of each pass's primary value.
     * @example Member
     */
    primaryLabel: string;
}
export interface LintPass {
    /**
     * @description Not looked at.
     * @example ada
     */
    id?: string | null;
    /**
     * @description What the barcode says.
     * @example SUMMER-0001
     */
    code?: string | null;
    /**
     * Format: date-time
     * @description Not valid before.
     * @example 2026-06-01T00:00:00.000Z
     */
    validFrom?: string | null;
    /**
     * Format: date-time
     * @description Not valid from then on.
     * @example 2026-12-31T23:00:00.000Z
     */
    expiry?: string | null;
    /**
     * @description The value of the template's `primaryLabel`.
     * @example Ada Lovelace
     */
    primaryValue?: string | null;
    /**
     * @description Address of an image instead of the template's thumbnail.
     * @example http://localhost:3000/images/samples/thumbnail.png
     */
    thumbnail?: string | null;
    /** @description Its own front fields, by the template's keys. */
    fields?: Field[] | null;
    /** @description Its own back fields. */
    backFields?: BackField[] | null;
    /** @description After the template's. */
    locations?: Location[] | null;
    /**
     * @description Not looked at.
     * @example {
     *       "order": "A-1042"
     *     }
     */
    metadata?: {
        [key: string]: unknown;
    } | null;
    /**
     * @description Not looked at.
     * @example false
     */
    voided?: boolean | null;
}
export interface LintRequest {
    /** @description A template request to check without saving it. Default: the stored template. */
    template?: OfferTemplateRequest | EventTemplateRequest | GenericTemplateRequest | MembershipTemplateRequest;
    /** @description A pass to check together with the template, without issuing it. */
    pass?: LintPass;
}
export interface LintAnswer {
    findings: LintFinding[];
    /**
     * @description How many of them a save would refuse.
     * @example 1
     */
    errors: number;
    /**
     * @description How many of them are warnings.
     * @example 0
     */
    warnings: number;
}
export interface ReminderDto {
    /**
     * @description The key of the reminder in `remindersSent`.
     * @example month
     */
    key: string;
    /**
     * @description Calendar days before the expiry, at the same time of day in the time zone of the settings.
     * @example 30
     */
    daysBefore: number;
}
export interface MembershipSettingsResponse {
    /** @example membership */
    templateId: string;
    /** @description The reminders, earliest first. */
    reminders: ReminderDto[];
    /** @example Europe/Berlin */
    timeZone: string;
    /** @example Membership */
    noticeLabel: string | null;
    /**
     * Format: date-time
     * @example 2026-05-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @example 2026-05-20T10:00:00.000Z
     */
    updatedAt: string;
}
export interface MembershipSettingsRequest {
    /**
     * @description The template for passes of new members, of type membership or generic. Existing members keep theirs.
     * @example membership
     */
    templateId: string;
    /**
     * @description At most 10 reminders, each with its own key and number of days. A reminder is an e-mail and, on phones that hold the pass, a notification.
     * @example [
     *       {
     *         "key": "month",
     *         "daysBefore": 30
     *       },
     *       {
     *         "key": "week",
     *         "daysBefore": 7
     *       }
     *     ]
     */
    reminders: ReminderDto[];
    /**
     * @description The IANA time zone for counting days and formatting dates. Default: UTC.
     * @example Europe/Berlin
     */
    timeZone?: string;
    /**
     * @description Label of a front field `membership` on members' passes that shows when the membership ends. Phones show a notification when it changes. Null: no such field. Default: Membership.
     * @example Membership
     */
    noticeLabel?: string | null;
}
export interface NewMemberRequest {
    /**
     * @description A single e-mail address, unique in the account regardless of case.
     * @example ada@example.com
     */
    email: string;
    /**
     * @description The primary value of the pass.
     * @example Ada Lovelace
     */
    name: string;
    /**
     * Format: date-time
     * @description The time at which the membership and its pass expire. It must be in the future; without one the membership has no end.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiry?: string | null;
    /**
     * @description The initial status. The pass of a pending member is void until the member is activated. Default: pending.
     * @example active
     * @enum {string}
     */
    status?: "pending" | "active";
    /**
     * @description Free JSON, never shown by the pass. At most 5000 characters when serialised.
     * @example {
     *       "tier": "gold",
     *       "number": 4711
     *     }
     */
    data?: {
        [key: string]: unknown;
    } | null;
}
export interface MemberLinks {
    /** @description The public link to the Apple Wallet package. */
    walletAUrl: string;
    /** @description The public Google Wallet save link. */
    walletBUrl: string;
    /** @description The public link to the web view. */
    webUrl: string;
}
export interface MemberResponse {
    /**
     * @description 1, 2, 3 … in the account; never reused.
     * @example 1
     */
    id: number;
    /** @example acc_3kTq9ZbXcVn1MlPoIu7Yt2 */
    accountId: string;
    /**
     * @description The template of the member's pass.
     * @example membership
     */
    templateId: string;
    /**
     * @description The id of the member's pass.
     * @example 0qBv1XaJt9mLr4cWnY7sKe
     */
    passId: string;
    /** @example ada@example.com */
    email: string;
    /** @example Ada Lovelace */
    name: string;
    /**
     * @example active
     * @enum {string}
     */
    status: "pending" | "active" | "suspended" | "expired" | "cancelled";
    /**
     * @example {
     *       "tier": "gold",
     *       "number": 4711
     *     }
     */
    data: {
        [key: string]: unknown;
    };
    /**
     * Format: date-time
     * @example 2030-12-31T23:00:00.000Z
     */
    expiry?: string;
    /**
     * Format: date-time
     * @example 2026-05-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @example 2026-05-20T10:00:00.000Z
     */
    updatedAt: string;
    /**
     * @description The reminders sent in the current term: the time of each, by its key.
     * @example {
     *       "month": "2030-12-01T23:00:00.000Z"
     *     }
     */
    remindersSent: {
        [key: string]: string;
    };
    /** @description The links to the member's pass. */
    links: MemberLinks;
}
export interface MemberPatch {
    /**
     * @description A single e-mail address, unique in the account regardless of case.
     * @example ada@example.com
     */
    email?: string;
    /**
     * @description The primary value of the pass.
     * @example Ada Lovelace
     */
    name?: string;
    /**
     * Format: date-time
     * @description The time at which the membership and its pass expire. A time in the past ends the membership at once; null removes the end. A new expiry starts the reminders again.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiry?: string | null;
    /**
     * @description Merged into the existing data; null removes a property. Free JSON, never shown by the pass. At most 5000 characters when serialised.
     * @example {
     *       "tier": "silver"
     *     }
     */
    data?: {
        [key: string]: unknown;
    } | null;
}
export interface RenewalRequest {
    /**
     * Format: date-time
     * @description The end of the new term. It must be in the future and later than the current expiry. Null: the membership has no end.
     * @example 2031-12-31T23:00:00.000Z
     */
    expiry?: string | null;
}
export interface HolderRequest {
    /**
     * @description The e-mail address of a member, or an address that passes were sent to, in upper or lower case.
     * @example ada@example.com
     */
    email?: string;
    /**
     * @description The template of the holder's pass; send `passId` too.
     * @example membership
     */
    templateId?: string;
    /**
     * @description The id of the holder's pass; send `templateId` too.
     * @example 4fzTm0Jd8xYc2LqWvB7RkP
     */
    passId?: string;
}
export interface ErasedResponse {
    /** @example 1 */
    members: number;
    /** @example 2 */
    passes: number;
    /**
     * @description The number of records of mails with passes.
     * @example 3
     */
    mails: number;
    /**
     * @description The number of devices that hold or held the passes, counted for each pass.
     * @example 1
     */
    devices: number;
    /**
     * @description The number of images that belonged to the passes alone.
     * @example 1
     */
    images: number;
}
/**
 * @description The types of events that the webhook gets. Default: all, including future types. For a key without all read scopes: the types that it may read.
 * @enum {string}
 */
export type WebhookEventType = "pass.created" | "pass.changed" | "pass.voided" | "pass.unvoided" | "pass.redeemed" | "pass.expired" | "pass.deleted" | "pass.installed" | "pass.removed" | "template.changed" | "template.archived" | "template.unarchived" | "member.created" | "member.changed" | "member.activated" | "member.suspended" | "member.expired" | "member.renewed" | "member.cancelled" | "member.deleted" | "certificate.expiring" | "certificate.expired";
export interface NewWebhookRequest {
    /**
     * @description The name of the webhook, on one line.
     * @example CRM
     */
    name?: string | null;
    /**
     * @description The address that receives events: https, a public host, no user name. The service follows no redirects. Without an address the events are only stored for fetching.
     * @example https://crm.example.com/passes
     */
    url?: string | null;
    /**
     * @description The types of events that the webhook gets. Default: all, including future types. For a key without all read scopes: the types that it may read.
     * @example [
     *       "pass.created",
     *       "pass.installed"
     *     ]
     */
    types?: WebhookEventType[] | null;
}
export interface WebhookWithSecretResponse {
    /** @example whk_3kTq9ZbXcVn1MlPoIu7Yt2 */
    id: string;
    /** @example CRM */
    name: string | null;
    /**
     * @description The address that receives events. Null: the events are fetched.
     * @example https://crm.example.com/passes
     */
    url: string | null;
    /**
     * @description The types of events. Null: all types.
     * @example [
     *       "pass.created",
     *       "pass.installed"
     *     ]
     */
    types: WebhookEventType[] | null;
    enabled: boolean;
    /** @description Why the service disabled the webhook; null if it did not. */
    disabledBecause: string | null;
    /**
     * Format: date-time
     * @description The first failure since the last successful delivery; null if the last delivery succeeded.
     */
    failingSince: string | null;
    /** @description Why an enabled webhook cannot send: its secret cannot be decrypted. Null: no problem. */
    problem: string | null;
    /**
     * @description The number of pending deliveries; 1000 means at least 1000.
     * @example 0
     */
    pending: number;
    /**
     * Format: date-time
     * @description The end of the old secret's validity. Null: there is no old secret.
     */
    previousSecretUntil: string | null;
    /** Format: date-time */
    createdAt: string;
    /**
     * Format: date-time
     * @description The last change of name, url, types or enabled.
     */
    updatedAt: string;
    /**
     * @description The secret that signs deliveries. Shown only in this response.
     * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD6gA5Xn8Nq0Q=
     */
    secret: string;
}
export interface WebhookResponse {
    /** @example whk_3kTq9ZbXcVn1MlPoIu7Yt2 */
    id: string;
    /** @example CRM */
    name: string | null;
    /**
     * @description The address that receives events. Null: the events are fetched.
     * @example https://crm.example.com/passes
     */
    url: string | null;
    /**
     * @description The types of events. Null: all types.
     * @example [
     *       "pass.created",
     *       "pass.installed"
     *     ]
     */
    types: WebhookEventType[] | null;
    enabled: boolean;
    /** @description Why the service disabled the webhook; null if it did not. */
    disabledBecause: string | null;
    /**
     * Format: date-time
     * @description The first failure since the last successful delivery; null if the last delivery succeeded.
     */
    failingSince: string | null;
    /** @description Why an enabled webhook cannot send: its secret cannot be decrypted. Null: no problem. */
    problem: string | null;
    /**
     * @description The number of pending deliveries; 1000 means at least 1000.
     * @example 0
     */
    pending: number;
    /**
     * Format: date-time
     * @description The end of the old secret's validity. Null: there is no old secret.
     */
    previousSecretUntil: string | null;
    /** Format: date-time */
    createdAt: string;
    /**
     * Format: date-time
     * @description The last change of name, url, types or enabled.
     */
    updatedAt: string;
}
export interface WebhookPatch {
    /**
     * @description The name of the webhook, on one line.
     * @example CRM
     */
    name?: string | null;
    /**
     * @description The address that receives events: https, a public host, no user name. The service follows no redirects. Without an address the events are only stored for fetching.
     * @example https://crm.example.com/passes
     */
    url?: string | null;
    /**
     * @description The types of events that the webhook gets from now on; null: all.
     * @example [
     *       "pass.created",
     *       "pass.installed"
     *     ]
     */
    types?: WebhookEventType[] | null;
    /**
     * @description False: the webhook gets no new events, and nothing is sent. True: it gets new events again, and pending deliveries continue.
     * @example true
     */
    enabled?: boolean;
}
export interface WebhookRotationRequest {
    /**
     * @description How many hours the old secret stays valid. Default 24; 0 ends it at once.
     * @example 24
     */
    overlapHours?: number;
}
export interface WebhookTestResponse {
    /** @description True if the receiver answered with a status from 200 to 299. */
    delivered: boolean;
    /**
     * @description The status of the receiver's response; null if there was none.
     * @example 204
     */
    statusCode: number | null;
    /**
     * @description How long the request took.
     * @example 87
     */
    durationMs: number;
    /** @description Why the delivery failed, in words. */
    problem: string | null;
}
export interface WebhookDeliveryResponse {
    /**
     * @description Sent as `webhook-id`.
     * @example evt_019aa0c1f4005c7e8f0a1b2c3d4e5f60
     */
    eventId: string;
    /**
     * @description The event's. Null: it is older than what is kept.
     * @example pass.created
     */
    type: string | null;
    /**
     * Format: date-time
     * @description When it happened.
     */
    timestamp: string;
    /**
     * @example delivered
     * @enum {string}
     */
    status: "pending" | "delivered" | "failed";
    /**
     * @description Since it was recorded, or replayed last.
     * @example 1
     */
    attempts: number;
    /**
     * Format: date-time
     * @description When it is tried next.
     */
    nextAttemptAt: string | null;
    /** Format: date-time */
    lastAttemptAt: string | null;
    /**
     * @description Of the last answer; null: there was none.
     * @example 204
     */
    statusCode: number | null;
    /** @description Why the last attempt failed, in words. */
    problem: string | null;
}
export interface WebhookReplayRequest {
    /**
     * Format: date-time
     * @description Of events from then on.
     * @example 2026-11-20T10:00:00.000Z
     */
    since: string;
    /**
     * Format: date-time
     * @description Of events before then. Default: now.
     * @example 2026-11-21T10:00:00.000Z
     */
    until?: string;
    /**
     * @description Which: those given up (`failed`, the default), those that have arrived (`delivered`), or events of its types that it was never told of (`missed`), because it was disabled or not yet made.
     * @example failed
     * @enum {string}
     */
    status?: "failed" | "delivered" | "missed";
}
export interface WebhookReplayResponse {
    /** @example 12 */
    replayed: number;
}
export interface WebhookEventResponse {
    /**
     * @description The id of the event, the same in every delivery and response. Use it to skip events that you have already processed.
     * @example evt_019a8f3c2b7e4d1a9c3e5f708192
     */
    id: string;
    /**
     * @description One of the types that docs/webhooks.md lists. More types may be added.
     * @example pass.voided
     */
    type: string;
    /**
     * Format: date-time
     * @description The time of the event.
     */
    timestamp: string;
    /**
     * @description The resource and its state after the event, without personal data. docs/webhooks.md lists the properties of each type.
     * @example {
     *       "templateId": "summer",
     *       "passId": "ada",
     *       "voided": true,
     *       "updatedAt": "2026-11-20T10:00:00.000Z"
     *     }
     */
    data: {
        [key: string]: unknown;
    };
}
export interface WebhookEventsResponse {
    /** @description The events, oldest first. */
    data: WebhookEventResponse[];
    /** @description The cursor for the next page if there are more events now; otherwise null. */
    nextCursor: string | null;
    /** @description The cursor to continue from, now or later. It is always present. Store it after you have processed the events. */
    cursor: string;
}
export interface Operations {
    /** @description Accept an invitation. Who has a user sends an access token of any of their accounts and no body; the e-mail has to be the one that was invited. Who has none sends `name` and `password`. The answer is a session in the account. An invitation works once: of simultaneous calls one succeeds. 403 without the code of the e-mail where the invitation makes an admin, or where `name` and `password` come for an e-mail that has a user. */
    acceptInvite: {
        request: {
            /** @description As it came in the e-mail. */
            code: string;
            body?: InviteAcceptance;
        };
        answer: TokensResponse;
    };
    /** @description Activate a member. Activates a pending or suspended member. The pass becomes valid; if it was deleted, a new one is issued. Reminders whose time has passed are not sent. */
    activateMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
        answer: MemberResponse;
    };
    /** @description Archive a template. Voids all passes of the template, and blocks new ones until it is un-archived. Archiving it again changes nothing. */
    archiveTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
        answer: OfferTemplate | EventTemplate | GenericTemplate | MembershipTemplate;
    };
    /** @description Cancel a membership. Cancels a membership of any status. The pass becomes void. This cannot be undone. */
    cancelMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
        answer: MemberResponse;
    };
    /** @description Change your e-mail. E-mails a link to the new address, which confirms it within a day; until then nothing changes. The answer is the same when the address is another user’s: only its mailbox learns of that. 403 for a wrong password. */
    changeEmail: {
        request: {
            body: ChangeEmailRequest;
        };
    };
    /** @description Change your password. Ends the user's other sessions, in every account; the one that asks goes on. 403 for a wrong password. */
    changePassword: {
        request: {
            body: ChangePasswordRequest;
        };
    };
    /** @description Confirm a new e-mail. With the code in the link of the e-mail, which works once. The former address is told. The page that the link leads to does the same. */
    confirmEmail: {
        request: {
            body: ConfirmEmailRequest;
        };
    };
    /** @description Make a further account. The user is its admin, and the answer a session of its own there; the one that asks goes on. 403 where the operator has closed registration, and for a user who is in 100 accounts. */
    createAccount: {
        request: {
            body: NewAccountRequest;
        };
        answer: TokensResponse;
    };
    /** @description Create an API key. The answer shows the whole `key` once; only its hash is kept. Nobody can hand out scopes they lack. */
    createApiKey: {
        request: {
            body: NewApiKeyRequest;
        };
        answer: ApiKeyWithSecretResponse;
    };
    /** @description Create a member. Creates a member with the next id of the account and a pass from the template in the settings, or neither. The pass is valid while the member is active, and void otherwise. */
    createMember: {
        request: {
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: NewMemberRequest;
        };
        answer: MemberResponse;
    };
    /** @description Issue a pass. From a template that is not archived. Its public links are safe as long as nobody can guess them: when you choose ids yourself, choose such that cannot be guessed. */
    createPass: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: PassRequest;
        };
        answer: PassWithLinks;
    };
    /** @description Create a webhook. Creates a webhook for future events. The service posts them to `url`, signed according to Standard Webhooks, or stores them for fetching if there is no `url`. An account may have 20 webhooks. The caller needs the read scopes for its event types: `passes:read`, `templates:read`, `members:read`. The response shows the `secret` once. */
    createWebhook: {
        request: {
            body: NewWebhookRequest;
        };
        answer: WebhookWithSecretResponse;
    };
    /** @description Delete the account. For admins, by their password. Nothing is deleted before `deletesAt`, seven days later unless the operator chose another delay. Until then API keys and changes are refused with 403, admins can export the account, and one of them can take the deletion back. All admins get an e-mail. Then passes on phones become empty and void, and all data is erased; users who are in no other account go too. docs/privacy.md lists what stays for how long. */
    deleteAccount: {
        request: {
            body: DeleteAccountRequest;
        };
        answer: AccountDeletionResponse;
    };
    /** @description Remove the Apple Wallet certificate. Removes the account's certificate and its key. The operator's certificate signs the passes again. Rejected with 409 while devices are registered under the certificate. */
    deleteAppleCertificate: {
        request: {
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Remove the Google Wallet issuer. Removes the account's issuer and its service account. New save links use the operator's issuer again. Passes at Google under the removed issuer stay with their holders and no longer update. If you set the issuer again, they update again. */
    deleteGoogleServiceAccount: {
        request: {
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Delete a member and its pass. Deletes a member and its pass. Phones that hold the pass receive a void version. The id is never reused. */
    deleteMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Delete a pass. With all it says; its links answer 404 from then on. Void it instead to keep its history. That of a member goes with the member. */
    deletePass: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Delete a template. Deletes a template without passes. Archive a template that has passes. */
    deleteTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Delete a webhook. Deletes a webhook and stops its pending deliveries. */
    deleteWebhook: {
        request: {
            webhookId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Erase all data of a holder. Deletes everything that `export` shows. Phones that hold one of the passes, and Google Wallet, receive an empty void pass. This cannot be undone. You may repeat the call; missing data counts as 0. docs/privacy.md lists what stays, and for how long: ids and your own backups. An API key needs `passes:write` and `members:write` in addition to `account:write`. */
    eraseHolder: {
        request: {
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: HolderRequest;
        };
        answer: ErasedResponse;
    };
    /** @description Export the account. Everything that is stored of the account, as one JSON object that is streamed: rows by table, without secrets. Images are named by their addresses. The stream breaks off when the credential is revoked. An API key needs all read scopes besides `account:write`. */
    exportAccount: {
        answer: {
            /** Format: date-time */
            exportedAt: string;
            account: {
                [key: string]: unknown;
            };
            /** @description Lists of rows by table. */
            tables: {
                [key: string]: unknown;
            };
        };
    };
    /** @description Export all data of a holder. Exports everything stored about the holder of an e-mail address or a pass: the member, the passes with their content and `metadata`, the passes sent to the address, the mails, and the devices. The lists are empty if nothing is stored. The response is streamed, breaks off when the credential is revoked, and is never stored for an `Idempotency-Key`. An API key needs `passes:read` and `members:read` in addition to `account:write`. */
    exportHolder: {
        request: {
            body: HolderRequest;
        };
        answer: {
            /** Format: date-time */
            exportedAt: string;
            /** @description The holder, as named in the request. */
            holder: {
                [key: string]: unknown;
            };
            members: {
                [key: string]: unknown;
            }[];
            passes: {
                [key: string]: unknown;
            }[];
        };
    };
    /** @description Ask for a new password. E-mails a link that sets a new password, once, within an hour. The answer is the same whether or not there is a user with this e-mail. After ten requests in an hour the mail comes within five minutes. Users who sign in through an identity provider may set a password this way too. */
    forgotPassword: {
        request: {
            body: ForgotPasswordRequest;
        };
    };
    /** @description Read the account. The active account with its people, what it uses, what it pays for and its limits. */
    getAccount: {
        answer: AccountResponse;
    };
    /** @description Read the Apple Wallet certificate. Returns the certificate that signs the account's passes, either its own or the operator's: source, expiry, push state, and the pending certificate signing request. */
    getAppleCertificate: {
        answer: AppleCertificateResponse;
    };
    /** @description How far Google Wallet is in step with a template. Changes of a template, an archive included, reach Google one request at a time, as its quota allows: 1,000 passes in about a minute. Here is what is done, what waits, and what Google refuses and why. */
    getGoogleProgress: {
        request: {
            templateId: string;
        };
        answer: GoogleProgressResponse;
    };
    /** @description Read the Google Wallet issuer. Returns the issuer of the account's passes at Google, either its own or the operator's: source, service account, and whether Google accepts its writes. */
    getGoogleServiceAccount: {
        answer: GoogleServiceAccountResponse;
    };
    /** @description Look at an invitation. For who holds its code: where to, by whom, until when, and whether a user is there to accept it. */
    getInvite: {
        request: {
            /** @description As it came in the e-mail. */
            code: string;
        };
        answer: InvitationResponse;
    };
    /** @description Check that the process is alive */
    getLiveness: {
        answer: Health;
    };
    /** @description Read your own user. Who the access token stands for, and the accounts that the user is in. */
    getMe: {
        answer: ProfileResponse;
    };
    /** @description Read a member. Returns a member. A member whose expiry has passed has the status expired from that moment on. */
    getMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
        };
        answer: MemberResponse;
    };
    /** @description Read the membership settings */
    getMembershipSettings: {
        answer: MembershipSettingsResponse;
    };
    /** @description Read a pass */
    getPass: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
        };
        answer: PassWithLinks;
    };
    /** @description Why a phone shows what it shows. What became of the last change of a pass on each device that holds it in Apple Wallet: pushed, asked, fetched, complained, the verdict, and what happens next. Devices are a page at a time, in the order of their ids; those that no longer take updates are among them for 90 days. A device that did not fetch is pushed again by itself. `walletB` is how the pass stands at Google Wallet, which tells its phones itself. */
    getPassDelivery: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
        };
        answer: DeliveryResponse;
    };
    /** @description Check that the node is ready. Reads the database at most once a second. Writes to the database and to the image storage at most every 10 seconds, or every second after a failure. A 503 names the problem: the database is unreachable, read-only or full; the storage cannot be written; the master keys do not decrypt the key of users; a clock is over 5 seconds off; or the node is stopping. */
    getReadiness: {
        answer: Health;
    };
    /** @description Read a template. Returns the template that passes are issued from. */
    getTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
        };
        answer: OfferTemplate | EventTemplate | GenericTemplate | MembershipTemplate;
    };
    /** @description Read a webhook. Returns a webhook and its state: the time since which it fails, the number of pending deliveries, and why the service disabled it. */
    getWebhook: {
        request: {
            webhookId: string;
        };
        answer: WebhookResponse;
    };
    /** @description Invite a user. Sends an e-mail with a link that works once, for 7 days, and for this address alone. The same address again replaces the open invitation, whose link then works no more. The invited need not have a user. */
    inviteUser: {
        request: {
            body: InviteRequest;
        };
        answer: InviteResponse;
    };
    /** @description Take back the deletion. For admins. API keys and changes work again at once. */
    keepAccount: {
        request: {
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Lint a template and a pass. Finds duplicate keys, truncated texts, unreadable colours, images that are too small, codes that no barcode can hold, and more. Without a body it checks the stored template. With `template` it checks a draft, whose mistakes are findings with severity `error`; saving such a draft is rejected. It saves nothing and fetches no image URLs, so it measures only images that were uploaded or saved with the template. */
    lintTemplate: {
        request: {
            /** @description The id of a stored template, or any id for a draft. */
            templateId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body?: LintRequest;
        };
        answer: LintAnswer;
    };
    /** @description List the audit trail. Who did what, when and from where, the newest first. For admins, and for keys with `account:write`: it shows the addresses people work from. Nothing in it can be changed or deleted. Issuing single passes and changing what they say is not in it, as the passes tell that themselves; docs/audit-trail.md lists what is. Of passes, templates and members a key sees `target.id`, `before` and `after` only with their read scopes, else null. */
    listAccountEvents: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
            /** @description Those of one kind. */
            action?: string;
            /** @description What one user or API key did, by its id; `system` for what the service did by itself. */
            actor?: string;
            /** @description What was done to one kind of thing, `template`, or to one of them: `template:summer`. */
            target?: string;
            /**
             * Format: date-time
             * @description Those of then or later.
             */
            since?: string;
            /**
             * Format: date-time
             * @description Those before then.
             */
            until?: string;
        };
        answer: {
            data: AuditEventResponse[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description List API keys. Newest first, without their secrets. */
    listApiKeys: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
        };
        answer: {
            data: ApiKeyResponse[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description List invitations. Those that can be accepted, the newest first. */
    listInvites: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
        };
        answer: {
            data: InviteResponse[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description List members. Lists members page by page, newest first. With `expiresBefore` or `expiresAfter` the list is ordered by expiry. Several filters apply together. */
    listMembers: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
            /**
             * @description Only members with this status.
             * @enum {string}
             */
            status?: "pending" | "active" | "suspended" | "expired" | "cancelled";
            /** @description Only the member with this e-mail address, in upper or lower case. */
            email?: string;
            /**
             * Format: date-time
             * @description Only memberships that end before this time, ordered by their end.
             */
            expiresBefore?: string;
            /**
             * Format: date-time
             * @description Only memberships that end at or after this time, ordered by their end.
             */
            expiresAfter?: string;
            /** @description Only members whose name or e-mail address has a word that begins with each word of this text, in upper or lower case. */
            q?: string;
        };
        answer: {
            data: MemberResponse[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description List the e-mails that brought a pass. The newest first, a page at a time, with what became of each. They go when the pass is deleted. */
    listPassMails: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
        };
        answer: {
            data: PassMailResponse[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description List the passes of a template. The newest first, a page at a time; with `updatedSince` in the order of their last changes, with `expiresBefore` in that of their expiries. Several filters narrow the list down together. */
    listPasses: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
            /** @description Only void passes, or only those that are not. */
            voided?: boolean;
            /** @description The pass with this code. */
            code?: string;
            /**
             * Format: date-time
             * @description Those that expire earlier, the earliest first.
             */
            expiresBefore?: string;
            /**
             * Format: date-time
             * @description Those changed then or later, the earliest change first.
             */
            updatedSince?: string;
        };
        answer: {
            data: ListedPass[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description List where you are signed in. All sessions of the user, in every account, the latest opened first. */
    listSessions: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
        };
        answer: {
            data: SessionResponse[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description List templates. Lists templates page by page, newest first. */
    listTemplates: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
            /**
             * @description Only templates of this type.
             * @enum {string}
             */
            type?: "offer" | "event" | "generic" | "membership";
            /**
             * @description Only archived templates, or only the others.
             * @enum {string}
             */
            archived?: "true" | "false";
            /** @description Only templates whose id or title contains this text, in any case. */
            q?: string;
        };
        answer: {
            data: (OfferTemplate | EventTemplate | GenericTemplate | MembershipTemplate)[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description List the usage by month. How many passes the account created in each calendar month (UTC) since it was made, and how many were active, the present month first. `usage` of the account counts by billing period instead. */
    listUsage: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
        };
        answer: {
            data: UsageMonthResponse[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description List what was sent to a webhook, and what is on its way. Newest first, with how the last attempt ended. */
    listWebhookDeliveries: {
        request: {
            webhookId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
            /**
             * @description Only those that are so.
             * @enum {string}
             */
            status?: "pending" | "delivered" | "failed";
        };
        answer: {
            data: WebhookDeliveryResponse[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description List the events of a webhook. Lists the events of a webhook, oldest first, for receivers that cannot be called or were not reached. Each event appears once, in a stable order. The list has no end: store `cursor`, which is always present, and continue from it. With `wait` the request stays open until an event happens. Events are kept for 30 days. The caller needs the read scopes for the webhook's event types (`passes:read`, `templates:read`, `members:read`). After a restore or failover of the database, some events may appear again with the same `id`. */
    listWebhookEvents: {
        request: {
            webhookId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
            /** @description How many seconds to wait for an event if there is none. */
            wait?: number;
            /**
             * @description Where to start without a `cursor`: at the `oldest` stored event (30 days), which is the default, or with events from `now` on.
             * @enum {string}
             */
            from?: "oldest" | "now";
        };
        answer: WebhookEventsResponse;
    };
    /** @description List webhooks. Lists webhooks, newest first, without their secrets. */
    listWebhooks: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description Opaque: the `nextCursor` of the previous page. */
            cursor?: string;
        };
        answer: {
            data: WebhookResponse[];
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
    };
    /** @description Log in. An unknown e-mail, a wrong password and an account the user is not in have the same answer. Failures are limited per address and per e-mail. */
    login: {
        request: {
            body: LoginRequest;
        };
        answer: TokensResponse;
    };
    /** @description Log out. Ends the session, its access tokens included, at once. The same answer when it had ended before. */
    logout: {
        request: {
            body: RefreshTokenRequest;
        };
    };
    /** @description See how a pass looks in each wallet. As it stands at the moment, its state included: a picture (`png`, `svg`), a page with all pictures and what the template lint finds (`html`), or that in words (`json`). See the preview of a template. */
    previewPass: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /**
             * @description Of a picture: where the pass is shown; `walletA` unless given. `json` and `html` show all of them.
             * @enum {string}
             */
            wallet?: "walletA" | "walletB" | "web";
            /**
             * @description Of a picture: the phone's appearance around the pass; `light` unless given.
             * @enum {string}
             */
            theme?: "light" | "dark";
            /**
             * @description What to answer with; by the `Accept` header unless given.
             * @enum {string}
             */
            format?: "json" | "html" | "png" | "svg";
            /**
             * @description Of a `png`: pixels per point, which is 415 points wide; 2 unless given.
             * @enum {string}
             */
            scale?: "1" | "2" | "3";
            /** @description The language of what the wallet itself says, such as dates; English unless given. */
            lang?: string;
        };
        answer: PreviewAnswer | string | Uint8Array;
    };
    /** @description Preview passes of a template. Renders a sample pass in Apple Wallet, Google Wallet or on the web as an image (`png`, `svg`). A page (`html`) shows all of them, light and dark, with the findings of the template lint. `json` describes the same in words, with the addresses of the images. Texts are cut where the wallet cuts them, and listed under `cut`. Nothing is issued. Latin, Greek and Cyrillic letters look the same everywhere. For other scripts a `png` uses the fonts of the server, which the container image includes, and a browser uses its own. */
    previewTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /**
             * @description Of a picture: where the pass is shown; `walletA` unless given. `json` and `html` show all of them.
             * @enum {string}
             */
            wallet?: "walletA" | "walletB" | "web";
            /**
             * @description Of a picture: the phone's appearance around the pass; `light` unless given.
             * @enum {string}
             */
            theme?: "light" | "dark";
            /**
             * @description What to answer with; by the `Accept` header unless given.
             * @enum {string}
             */
            format?: "json" | "html" | "png" | "svg";
            /**
             * @description Of a `png`: pixels per point, which is 415 points wide; 2 unless given.
             * @enum {string}
             */
            scale?: "1" | "2" | "3";
            /** @description The language of what the wallet itself says, such as dates; English unless given. */
            lang?: string;
        };
        answer: PreviewAnswer | string | Uint8Array;
    };
    /** @description Set the membership settings. Replaces all settings; omitted properties get their defaults. A new template applies to the passes of new members; existing passes keep theirs. When reminders, time zone or label change, members are updated in the background. Reminders whose time has already passed are not sent. */
    putMembershipSettings: {
        request: {
            /** @description `etagOf` what was read: refuses to overwrite a change that was made since. */
            ifMatch?: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: MembershipSettingsRequest;
        };
        answer: MembershipSettingsResponse;
    };
    /** @description Redeem a pass. Once: of any number of calls, simultaneous ones too, exactly one is answered 200. 409 for the others, and for a pass that is void, has expired or is not valid yet. Send an `Idempotency-Key` to be able to repeat a call whose answer got lost. */
    redeemPass: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
        answer: PassWithLinks;
    };
    /** @description Exchange a sign-in's code for tokens. The code is in the fragment that `returnTo` was called with. It works once, within a minute. */
    redeemSignInCode: {
        request: {
            body: SignInCodeRequest;
        };
        answer: TokensResponse;
    };
    /** @description Get the next pair of tokens. A refresh token works once. Using one again ends the session for everybody who holds a token of it, so let one request at a time refresh. */
    refreshTokens: {
        request: {
            body: RefreshTokenRequest;
        };
        answer: TokensResponse;
    };
    /** @description Register a user with a new account. The user is the admin of the account. 403 where the operator has closed registration. */
    register: {
        request: {
            body: RegisterRequest;
        };
        answer: TokensResponse;
    };
    /** @description Remove a user from the account, or leave it. Admins remove anybody, the others only themselves. The sessions of the user in the account are over at once; API keys are the account’s and go on: revoke those that the user knows. The last admin cannot go. Who is in no account any more comes back by an invitation. */
    removeAccountMember: {
        request: {
            uid: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Renew a membership. Renews an active or expired membership. The member is active, and the pass valid, until the new expiry. All reminders are sent again for the new term. */
    renewMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: RenewalRequest;
        };
        answer: MemberResponse;
    };
    /** @description Send many events once more. All of a period that failed, arrived, or were missed, 100,000 at most; those that are on their way are left alone. */
    replayWebhookDeliveries: {
        request: {
            webhookId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: WebhookReplayRequest;
        };
        answer: WebhookReplayResponse;
    };
    /** @description Send an event once more. At once, with the schedule from its beginning: the same id, the same body, another signature. Also an event that the webhook was never told of. */
    replayWebhookDelivery: {
        request: {
            webhookId: string;
            eventId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Create a certificate signing request. Creates a private key and its certificate signing request, which replaces an earlier one. Upload the request in Apple's developer portal under your Pass Type ID. Then send the `.cer` that you get: `PUT` with `certificate` alone. The key never leaves the service. */
    requestAppleCertificate: {
        request: {
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
        answer: AppleCertificateRequestResponse;
    };
    /** @description Set a new password. With the code in the link of the e-mail, which works once. Every session of the user ends, in every account. The page that the link leads to does the same. */
    resetPassword: {
        request: {
            body: ResetPasswordRequest;
        };
    };
    /** @description Revoke an API key. It stops working at once, on every node. */
    revokeApiKey: {
        request: {
            keyId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Withdraw an invitation. Its link works no more. Named by its code, or by its `ref`. */
    revokeInvite: {
        request: {
            /** @description The code, or the `ref`. */
            code: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Sign out everywhere else. Ends all sessions of the user, in every account, but the one that asks. */
    revokeOtherSessions: {
        request: {
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Sign out in one place. Ends a session of the user in any account: its refresh token and its access tokens, at once. */
    revokeSession: {
        request: {
            sessionId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
    };
    /** @description Give an API key a new secret. Same id, name, scopes and tools. The old secret stops working at once; the answer shows the new `key` once. Who lacks one of its scopes cannot rotate it. */
    rotateApiKey: {
        request: {
            keyId: string;
        };
        answer: ApiKeyWithSecretResponse;
    };
    /** @description Rotate the secret of a webhook. Creates a new `secret`, which the response shows once. For `overlapHours` deliveries carry the signatures of both secrets, so that the receiver can switch without a gap. */
    rotateWebhookSecret: {
        request: {
            webhookId: string;
            body: WebhookRotationRequest;
        };
        answer: WebhookWithSecretResponse;
    };
    /** @description Upload an Apple Wallet certificate. Sets or renews the Pass Type ID certificate: as PKCS#12, as certificate and key, or alone if its key belongs to the request made here or to the current certificate. Send files with Windows line ends in base64. Every node signs with it within a second. After a renewal under the same pass type, all installed passes keep updating, and devices that wait for a push get it within a minute. Another pass type is rejected with 409, because installed passes would never update again. The key is stored encrypted and never shown. */
    saveAppleCertificate: {
        request: {
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: AppleCertificateUpload;
        };
        answer: AppleCertificateResponse;
    };
    /** @description Set the Google Wallet issuer. Sets the issuer id and the key file of a service account, or replaces its key. The service account must be a Developer of the issuer in the Google Pay & Wallet Console. Every node writes with it within a second. The service tests it at once and stores it even if Google rejects it: `check` says what is missing. An invitation at Google takes some minutes to take effect. If passes exist at Google under another issuer, the request is rejected with 409 unless `replaceIssuer` is true, because those passes never update again. The key is stored encrypted and never shown. */
    saveGoogleServiceAccount: {
        request: {
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: GoogleServiceAccountUpload;
        };
        answer: GoogleServiceAccountSaved;
    };
    /** @description Send a pass by e-mail. The holder gets a mail with one button to the pass's page, its banner, when and where it is for, and your own words if you like. It is sent in the background: `GET …/mails` tells what became of it. At most 10 mails of a pass and 5 to one address an hour, and as many of an account a day (UTC) as the installation allows; 409 for a pass that is void, redeemed or expired. Send an `Idempotency-Key` to be able to repeat a call whose answer got lost. */
    sendPass: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: SendPassRequest;
        };
        answer: PassMailResponse;
    };
    /** @description Suspend a member. Suspends an active member. The pass is void until the member is activated again. The expiry does not change. */
    suspendMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
        answer: MemberResponse;
    };
    /** @description Act on another account. A session of its own in another account of the user; the one that asks goes on. */
    switchAccount: {
        request: {
            body: SwitchRequest;
        };
        answer: TokensResponse;
    };
    /** @description Send a test event. Sends `webhook.test` at once, signed as any other, and answers with what came back within 15 seconds. Also to a webhook that is disabled. It is not repeated, and is in no list. At most 100 an hour for the accounts of one founder. */
    testWebhook: {
        request: {
            webhookId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
        answer: WebhookTestResponse;
    };
    /** @description Un-archive a template. Makes passes valid again, except those that were voided one by one. Un-archiving it again changes nothing. */
    unarchiveTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
        answer: OfferTemplate | EventTemplate | GenericTemplate | MembershipTemplate;
    };
    /** @description Un-void a pass. Changes nothing when it is not void. 409 while its template is archived, which voids all its passes. */
    unvoidPass: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
        answer: PassWithLinks;
    };
    /** @description Change the account. A JSON merge patch (RFC 7396): null clears the industry, what is left out stays. `If-Match` is about these two alone. */
    updateAccount: {
        request: {
            /** @description `etagOf` what was read: refuses to overwrite a change that was made since. */
            ifMatch?: string;
            body: AccountPatch;
        };
        answer: AccountResponse;
    };
    /** @description Change a user's role. It holds with their next request. The last admin cannot lose the role. */
    updateAccountMember: {
        request: {
            uid: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: RoleRequest;
        };
        answer: AccountMemberResponse;
    };
    /** @description Change your own user. A JSON merge patch (RFC 7396). The name is the same in all accounts of the user. */
    updateMe: {
        request: {
            /** @description `etagOf` what was read: refuses to overwrite a change that was made since. */
            ifMatch?: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: ProfilePatch;
        };
        answer: ProfileResponse;
    };
    /** @description Change a member. Changes a member by a JSON merge patch (RFC 7396): null clears a property, omitted properties stay, and `data` is merged. The pass is updated too. Use a renewal to change the expiry of an expired member. The expiry of a cancelled member cannot be changed. */
    updateMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description `etagOf` what was read: refuses to overwrite a change that was made since. */
            ifMatch?: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: MemberPatch;
        };
        answer: MemberResponse;
    };
    /** @description Change a pass. A JSON merge patch (RFC 7396): null clears a property, what is left out stays; lists are replaced as a whole. A code that is cleared is chosen anew. The result has to satisfy the rules of a new pass. Also for passes of an archived template, which stay void. */
    updatePass: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /** @description `etagOf` what was read: refuses to overwrite a change that was made since. */
            ifMatch?: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: PassPatch;
        };
        answer: ChangedPassWithLinks;
    };
    /** @description Replace the metadata of a pass. Silently: no wallet is notified, and `updatedAt` stays. No pass ever shows its metadata. */
    updatePassMetadata: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /** @description `etagOf` what was read: refuses to overwrite a change that was made since. */
            ifMatch?: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: PassMetadataRequest;
        };
        answer: PassWithLinks;
    };
    /** @description Change a webhook. Changes, disables or enables a webhook by a JSON merge patch (RFC 7396): null clears a property, omitted properties stay. Disabling stops pending deliveries, which continue when you enable the webhook again. Events that happen while it is disabled are not sent later unless you replay them. */
    updateWebhook: {
        request: {
            webhookId: string;
            /** @description `etagOf` what was read: refuses to overwrite a change that was made since. */
            ifMatch?: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: WebhookPatch;
        };
        answer: WebhookResponse;
    };
    /** @description Upload images for a template. Send any of `icon`, `logo`, `banner`, `background` and `thumbnail` as PNG, JPEG or WebP: at most 5 MiB, 25 megapixels and 10,000 pixels per side each, not animated. The service checks the images, strips their metadata, stores them and returns their URLs. The template itself does not change and need not exist yet. Send the URLs when you save the template, or as the `thumbnail` of a pass, within 24 hours. An upload that no template or pass names by then is deleted. The image of a pass is deleted when the last pass that shows it is deleted or gets another image. */
    uploadTemplateImages: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /** Format: x-form */
            body: FormData;
        };
        /**
         * @example {
         *       "icon": "http://localhost:3000/images/acc_3kTq9ZbXcVn1MlPoIu7Yt2/2c26b46b68ffc68f2c26b46b68ffc68f2c26b46b68ffc68f2c26b46b68ffc68f.png"
         *     }
         */
        answer: {
            /** Format: uri */
            icon?: string;
            /** Format: uri */
            logo?: string;
            /** Format: uri */
            banner?: string;
            /** Format: uri */
            background?: string;
            /** Format: uri */
            thumbnail?: string;
        };
    };
    /** @description Create or replace a pass by its id. The body is the whole pass: an optional property that is left out is cleared, except for the code, which stays. Sending what is stored already changes nothing. */
    upsertPass: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /** @description `etagOf` what was read: refuses to overwrite a change that was made since. */
            ifMatch?: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: PassRequest;
        };
        answer: ChangedPassWithLinks;
    };
    /** @description Create or replace a template. Replaces the whole template: omitted optional properties are cleared. Sending the stored values again changes nothing. `templateId` is 1 to 64 letters, digits, dots, underscores or hyphens, the first a letter or digit. The type cannot change once there are passes. The service fetches and stores images from other addresses now, so that showing a pass fetches nothing. With `If-None-Match: *` it only creates a new template. */
    upsertTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /** @description Acts on this account instead of the active one; the caller must be a member of it. */
            accountId?: string;
            /** @description `etagOf` what was read: refuses to overwrite a change that was made since. */
            ifMatch?: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
            body: OfferTemplateRequest | EventTemplateRequest | GenericTemplateRequest | MembershipTemplateRequest;
        };
        answer: OfferTemplate | EventTemplate | GenericTemplate | MembershipTemplate;
    };
    /** @description Void a pass. Voiding it again changes nothing. */
    voidPass: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /** @description The pass's id, unique in its template. */
            passId: string;
            /** @description Without one the client makes one for each call, so that its retries change nothing twice. */
            idempotencyKey?: string;
        };
        answer: PassWithLinks;
    };
}
export interface LineOperations {
    /** @description Issue many passes. NDJSON, a pass per line as for one: a line in, a line out, in the same order and while they are sent, however many there are. Each answer has the `index` of its line, counted from 0, and the pass with its links, or what is wrong with that line; the others are issued all the same. Give passes ids of your own, and after an interruption the same lines can be sent again with `existing=skip`. */
    createPasses: {
        request: {
            /** @description The template's id. */
            templateId: string;
            /**
             * @description What becomes of a line whose `id` a pass of the template has: `error` answers `pass_exists`; `skip` answers that pass as it is, with `existing: true`, so that a file can be sent again after it was interrupted. Default: error.
             * @enum {string}
             */
            existing?: "error" | "skip";
        };
    };
    /** @description Create many members. Imports any number of members, one line in and one line out, in the same order and while the lines arrive. Send NDJSON with one member per line, or CSV. The first line of a CSV names the columns `email`, `name`, `status` and `expiry`; any other column goes into `data`. Each line of the response has the `index` of its line, counted from 0, and the member or the error. An invalid line does not stop the others. After an interruption, send the file again with `existing=skip`. */
    importMembers: {
        request: {
            /**
             * @description The result of a line whose e-mail address belongs to an existing member. `error`: the error `member_exists`. `skip`: the existing member, with `existing: true`, so that you can send an interrupted file again. Default: error.
             * @enum {string}
             */
            existing?: "error" | "skip";
        };
    };
}
