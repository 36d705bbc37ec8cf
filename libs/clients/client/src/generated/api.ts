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
    /**
     * @description The page with the cause and fix of the code.
     * @example https://passes.example.com/guides/errors#validation_failed
     */
    docUrl?: string;
}
export interface Health {
    /**
     * @description Always `ok`.
     * @example ok
     */
    status: string;
    /**
     * @description The version of the service.
     * @example 1.0.0
     */
    version: string;
}
export interface GoogleClassProgress {
    /** @description The id of the class at Google; null without an issuer. */
    id: string | null;
    /**
     * @description `none`: no link was requested yet. `current`: Google has the current version. `waiting`: a change has not been sent yet. `refused`: Google rejects it, see `problem`.
     * @enum {string}
     */
    state: "none" | "current" | "waiting" | "refused";
    /**
     * Format: date-time
     * @description When Google last accepted the class.
     */
    sentAt: string | null;
    /** @description The last error from Google. */
    problem: string | null;
}
export interface GoogleObjectsProgress {
    /**
     * @description Passes for which a link was requested.
     * @example 1204
     */
    total: number;
    /**
     * @description Objects with a change that has not been sent yet.
     * @example 12
     */
    waiting: number;
    /**
     * @description Objects that Google rejects; see `problem`.
     * @example 0
     */
    refused: number;
    /**
     * @description Objects that are in a wallet, as reported by Google.
     * @example 987
     */
    installed: number;
    /** @description The error from Google for one of the rejected objects. */
    problem: string | null;
}
export interface GoogleProgressResponse {
    /** @description True if there is no issuer: nothing is written to Google. */
    development: boolean;
    /** @description Set while Google rejects the service account. */
    halt: {
        /**
         * @description The error from Google.
         * @example permissionDenied: the service account is no user
         */
        reason: string;
        /**
         * Format: date-time
         * @description The time at which this state began.
         */
        since: string;
        /**
         * Format: date-time
         * @description When the next attempt is made.
         */
        retryAt: string;
    } | null;
    class: GoogleClassProgress;
    objects: GoogleObjectsProgress;
    /**
     * Format: date-time
     * @description The estimated time at which Google has all waiting changes; null if nothing waits.
     */
    doneBy: string | null;
}
export interface GoogleDeliveryResponse {
    /**
     * @description `none`: no link was requested yet. `current`: Google has the current version. `waiting`: a change has not been sent yet. `refused`: Google rejects it, see `problem`.
     * @enum {string}
     */
    state: "none" | "current" | "waiting" | "refused";
    /**
     * Format: date-time
     * @description When Google last accepted the pass.
     */
    sentAt: string | null;
    /** @description The last error from Google. */
    problem: string | null;
    /**
     * @description How often holders have saved the pass, as reported by Google.
     * @example 2
     */
    saves: number;
    /**
     * @description How often holders have removed the pass.
     * @example 1
     */
    removals: number;
}
export interface PushResponse {
    /**
     * @description `off`: not set up. `halted`: see `reason`.
     * @enum {string}
     */
    state: "on" | "off" | "halted";
    /** @description Why the devices are not pushed. */
    reason: string | null;
    /**
     * Format: date-time
     * @description The time of the next attempt while pushes are halted.
     */
    retryAt: string | null;
}
export interface ComplaintResponse {
    /**
     * Format: date-time
     * @description When the line arrived.
     */
    at: string;
    /** @description The text from the device, at most 500 characters, without device identifiers. */
    line: string;
    /** @description The meaning of the line; null if it is unknown. */
    meaning: string | null;
}
export interface DeviceDeliveryResponse {
    /**
     * @description The service’s id for the device. The device’s own identifier is a secret.
     * @example n3K8vQxZ2mT7yLcW5bHf0R
     */
    deviceId: string;
    /**
     * @description The judgement in one word.
     * @enum {string}
     */
    verdict: "up_to_date" | "waiting" | "stale" | "updates_off";
    /** @description An explanation of the verdict, and the next step. */
    explanation: string;
    /**
     * Format: date-time
     * @description When the device registered for updates of the pass; null if the device no longer takes updates.
     */
    registeredAt: string | null;
    /** @description The latest push to the device; null before the first. */
    pushed: {
        /**
         * Format: date-time
         * @description When the push was sent.
         */
        at: string;
        /**
         * @description The push service's id for the push; null if it was not sent.
         * @example 123e4567-e89b-12d3-a456-42665544000a
         */
        id: string | null;
        /**
         * @description The push service’s response: 200 means only that it accepted the push.
         * @example 200
         */
        status: number | null;
        /**
         * @description Why the push service did not accept the push.
         * @example ServiceUnavailable
         */
        reason: string | null;
        /**
         * @description Number of accepted pushes since the device last fetched a pass.
         * @example 1
         */
        attempts: number;
    } | null;
    /** @description The device’s latest request for changed passes; null before the first. */
    listed: {
        /**
         * Format: date-time
         * @description When the device last requested its changed passes.
         */
        at: string;
    } | null;
    /** @description The device’s latest request for the pass; null before the first. */
    fetched: {
        /**
         * Format: date-time
         * @description When the device last requested the pass.
         */
        at: string;
        /**
         * @description The response: 200, or 304 if the device already had that version.
         * @example 200
         */
        status: number | null;
        /**
         * Format: date-time
         * @description The time of the version that the device has.
         */
        version: string;
    } | null;
    /** @description Log lines that name the device, newest first. */
    complained: ComplaintResponse[];
    /**
     * Format: date-time
     * @description The time of the next push, unless the device fetches the change before.
     */
    nextPush: string | null;
}
export interface DeliveryResponse {
    /**
     * Format: date-time
     * @description The time of the current version: the last change of the pass or its template, whichever is later.
     */
    version: string;
    walletB: GoogleDeliveryResponse;
    push: PushResponse;
    /** @description Log lines that name no listed device, newest first. */
    complaints: ComplaintResponse[];
    /** @description The devices that have the pass. */
    devices: DeviceDeliveryResponse[];
    /** @description Pass it as `cursor` for the next page; null on the last page. */
    nextCursor: string | null;
}
export interface SendPassRequest {
    /**
     * @description The recipient: a single address.
     * @example ada@example.com
     */
    to: string;
    /**
     * @description The address for the holder’s replies: a single address. Default: the sender of all mails.
     * @example box-office@example.com
     */
    replyTo?: string;
    /**
     * @description The subject on one line. Default: the issuer and the title.
     * @example Your seat for Saturday
     */
    subject?: string;
    /**
     * @description Your own message to the holder, shown as plain text with its line breaks.
     * @example Dear Ada,
     *     we look forward to seeing you.
     */
    message?: string;
    /**
     * @description The language of the mail and of the pass’s texts. Default: the language of the holder, or else of the template, or else of the installation.
     * @example en
     * @enum {string}
     */
    lang?: "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "pl" | "ar" | "he" | "ja";
}
export interface PassMailResponse {
    /**
     * @description The id of the mail.
     * @example 3kTq9ZbXcVn1MlPoIu7Yt2
     */
    id: string;
    /**
     * @description The recipient.
     * @example ada@example.com
     */
    to: string;
    /**
     * @description The subject.
     * @example Your pass from Harbour Hall: Autumn concert
     */
    subject: string;
    /**
     * @description `queued`: the service tries to send the mail for about 16 hours. `sent`: the mail server has accepted it. `failed`: there are no more attempts, see `problem`.
     * @enum {string}
     */
    status: "queued" | "sent" | "failed";
    /**
     * @description The number of sending attempts.
     * @example 1
     */
    attempts: number;
    /** @description Why the mail was not sent yet or has failed. */
    problem: string | null;
    /**
     * Format: date-time
     * @description The time of the creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description When the mail server accepted it.
     */
    sentAt: string | null;
}
export interface PassMailPage {
    /** @description The entries of this page. */
    data: PassMailResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface PreviewPicture {
    /**
     * @description The wallet that the image shows.
     * @example walletA
     * @enum {string}
     */
    wallet: "walletA" | "walletB" | "web";
    /**
     * @description The theme of the phone.
     * @example light
     * @enum {string}
     */
    theme: "light" | "dark";
    /**
     * @description The system of the phone, if Apple Wallet shows the pass differently on older systems.
     * @example ios27
     * @enum {string}
     */
    system?: "ios27" | "ios26";
    /**
     * @description The address of the image as SVG.
     * @example http://localhost:3000/v1/templates/summer-sale/preview?wallet=walletA&theme=light&format=svg
     */
    svgUrl: string;
    /**
     * @description The address of the image as PNG.
     * @example http://localhost:3000/v1/templates/summer-sale/preview?wallet=walletA&theme=light&format=png
     */
    pngUrl: string;
}
export interface LintFinding {
    /**
     * @description The id of the rule; see docs/template-lint.md. Ids are stable.
     * @example duplicate-key
     */
    rule: string;
    /**
     * @description The document that `path` is in; `service` for the operator’s settings.
     * @example template
     * @enum {string}
     */
    in: "template" | "pass" | "service";
    /**
     * @description JSON path of the value: `$.` and the path, or only `$` for the whole document.
     * @example $.backFields[0].key
     */
    path: string;
    /**
     * @description Saving a template or pass with an `error` is rejected.
     * @example error
     * @enum {string}
     */
    severity: "error" | "warning" | "info";
    /**
     * @description The wallets where the problem is visible.
     * @example all
     * @enum {string}
     */
    wallet: "walletA" | "walletB" | "web" | "all";
    /**
     * @description The problem.
     * @example "seat" is also a key of fields
     */
    message: string;
    /**
     * @description The remedy.
     * @example keys are unique over front and back
     */
    fix: string;
}
export interface PreviewCut {
    /**
     * @description The wallets that cut the text.
     * @example walletA
     * @enum {string}
     */
    wallet: "walletA" | "walletB" | "web";
    /**
     * @description The document that `path` is in.
     * @example template
     * @enum {string}
     */
    in: "template" | "pass";
    /**
     * @description JSON path of the text.
     * @example $.title
     */
    path: string;
    /**
     * @description The whole text.
     * @example Twenty per cent off everything, all summer long
     */
    text: string;
    /**
     * @description The part that remains visible.
     * @example Twenty per cent off everyth…
     */
    shown: string;
}
export interface PreviewResponse {
    /** @description All available images. */
    pictures: PreviewPicture[];
    /** @description The findings of the template lint, errors first. */
    findings: LintFinding[];
    /** @description The texts that do not fit, measured with a font similar to the phone’s. */
    cut: PreviewCut[];
}
export interface PassMessageRequest {
    /**
     * @description A short heading, shown before the text. Default: none; Google Wallet shows the issuer’s name.
     * @example Gate change
     */
    title?: string;
    /**
     * @description The message. Apple Wallet shows it on the lock screen only if it differs from the previous message of the pass.
     * @example Your concert begins at gate C.
     */
    text: string;
    /**
     * @description The `title` and the `text` in other languages, by BCP 47 tag. Holders see their own language. A language needs a `text`; its `title` defaults to the message’s. At most 40 languages and 8000 bytes, or 4000 in a message to many.
     * @example {
     *       "de": {
     *         "title": "Neuer Eingang",
     *         "text": "Ihr Konzert beginnt an Eingang C."
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /**
     * @description A pass shows only the latest message of a topic. An unsent message with the same topic, passes and filter becomes `superseded`.
     * @example gate
     */
    topic?: string;
    /**
     * Format: date-time
     * @description When to send the message, at most a year ahead. Default: now.
     * @example 2026-12-31T23:00:00.000Z
     */
    sendAt?: string;
    /**
     * @description True: send it in quiet hours too. Default: false.
     * @example false
     */
    urgent?: boolean;
}
export interface WantedField {
    /**
     * @description The key of a front or back field.
     * @example tier
     */
    key: string;
    /**
     * @description The value of the field on the pass, or on the template if the pass has no such field.
     * @example gold
     */
    value: string;
}
export interface MessageFilterResponse {
    /** @description The states of the passes. */
    states: ("valid" | "not_yet_valid" | "expired" | "redeemed" | "voided")[];
    /**
     * Format: date-time
     * @description Only passes that expire at or after this time.
     */
    expiresFrom: string | null;
    /**
     * Format: date-time
     * @description Only passes that expire before this time.
     */
    expiresBefore: string | null;
    /** @description The values that fields of the passes must have. */
    fields: WantedField[];
    /** @description Only passes in one of these wallets. */
    wallets: ("walletA" | "walletB" | "none")[] | null;
}
/**
 * @description The result at Google Wallet. `waiting`: not sent yet, for example in quiet hours. `notified`: it is on the pass, and the phone announces it. `daily_limit`: it is on the pass only, because Google allows three notifications in 24 hours. `rejected`: Google rejects it. `expired`: Google did not confirm it in 30 days. `superseded`: a later message with the same topic replaced it. `not_at_google`: the pass is not at Google, or belongs to a former issuer. `queue_full`: the pass already has 50 messages or 100 kB of messages.
 * @enum {string}
 */
export type WalletBOutcome = "waiting" | "notified" | "daily_limit" | "rejected" | "expired" | "superseded" | "not_at_google" | "queue_full";
export interface PassesByOutcome {
    /** @description The result at Google Wallet. `waiting`: not sent yet, for example in quiet hours. `notified`: it is on the pass, and the phone announces it. `daily_limit`: it is on the pass only, because Google allows three notifications in 24 hours. `rejected`: Google rejects it. `expired`: Google did not confirm it in 30 days. `superseded`: a later message with the same topic replaced it. `not_at_google`: the pass is not at Google, or belongs to a former issuer. `queue_full`: the pass already has 50 messages or 100 kB of messages. */
    outcome: WalletBOutcome;
    /**
     * @description The number of passes.
     * @example 1650
     */
    passes: number;
}
export interface SkippedPasses {
    /**
     * @description Why these passes were skipped: their state, `filter` (fields or expiry do not match), `wallet` (they are in other wallets) or `superseded` (they have a later message with the same topic).
     * @enum {string}
     */
    reason: "valid" | "not_yet_valid" | "expired" | "redeemed" | "voided" | "filter" | "wallet" | "superseded";
    /**
     * @description The number of passes.
     * @example 12
     */
    passes: number;
}
export interface MessageProgress {
    /**
     * @description The passes of the template that were examined.
     * @example 5012
     */
    passes: number;
    /**
     * @description The passes that get the message, each at most once.
     * @example 5000
     */
    sent: number;
    /**
     * @description The passes in Apple Wallet that get the message.
     * @example 3100
     */
    walletA: number;
    /**
     * @description The passes in Google Wallet that get the message.
     * @example 1700
     */
    walletB: number;
    /**
     * @description The passes in no wallet that get the message: only their web page shows it.
     * @example 220
     */
    none: number;
    /** @description The passes with an opened Google link that get the message, counted by result. */
    walletBOutcomes: PassesByOutcome[];
    /** @description The skipped passes, counted by reason. */
    skipped: SkippedPasses[];
}
export interface MessageResponse {
    /**
     * @description The id of the message.
     * @example msg_3kTq9ZbXcVn1MlPoIu7Yt2
     */
    id: string;
    /**
     * @description The id of the template.
     * @example autumn-concert
     */
    templateId: string;
    /**
     * @description Null for a message to many passes.
     * @example null
     */
    passId: string | null;
    /**
     * @description The heading of the message.
     * @example Gate change
     */
    title: string | null;
    /**
     * @description The text of the message.
     * @example Your concert begins at gate C.
     */
    text: string;
    /**
     * @description The `title` and the `text` in other languages; absent without translations.
     * @example {
     *       "de": {
     *         "title": "Neuer Eingang",
     *         "text": "Ihr Konzert beginnt an Eingang C."
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /**
     * @description A message replaces earlier ones with the same topic.
     * @example gate
     */
    topic: string | null;
    /** @description The filter, including defaults. */
    filter: MessageFilterResponse;
    /**
     * @description True if the message is also sent in quiet hours.
     * @example false
     */
    urgent: boolean;
    /**
     * @description `scheduled`: it was not sent to any pass yet. `superseded`: a later message with the same topic replaced it before it was sent. `sent`: every pass has it or is counted in `progress.skipped`.
     * @enum {string}
     */
    status: "scheduled" | "sending" | "paused" | "sent" | "cancelled" | "superseded";
    /**
     * Format: date-time
     * @description When sending begins. A message that is due in quiet hours begins when they end.
     */
    sendAt: string;
    progress: MessageProgress;
    /**
     * Format: date-time
     * @description The time of the creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time at which sending began.
     */
    startedAt: string | null;
    /**
     * Format: date-time
     * @description When the message was sent, cancelled or superseded.
     */
    finishedAt: string | null;
}
export interface PassMessageResponse {
    /**
     * @description The id of the message.
     * @example msg_3kTq9ZbXcVn1MlPoIu7Yt2
     */
    id: string;
    /**
     * @description The heading of the message.
     * @example Gate change
     */
    title: string | null;
    /**
     * @description The text of the message.
     * @example Your concert begins at gate C.
     */
    text: string;
    /**
     * @description The `title` and the `text` in other languages; absent without translations.
     * @example {
     *       "de": {
     *         "title": "Neuer Eingang",
     *         "text": "Ihr Konzert beginnt an Eingang C."
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /**
     * @description A message replaces earlier ones with the same topic.
     * @example gate
     */
    topic: string | null;
    /**
     * Format: date-time
     * @description The time of sending.
     */
    sentAt: string;
}
export interface PassMessagePage {
    /** @description The entries of this page. */
    data: PassMessageResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface MessageFilter {
    /**
     * @description The states of the passes. Default: valid and not_yet_valid.
     * @example [
     *       "valid"
     *     ]
     */
    states?: ("valid" | "not_yet_valid" | "expired" | "redeemed" | "voided")[];
    /**
     * Format: date-time
     * @description Only passes that expire at or after this time.
     * @example 2026-12-01T00:00:00.000Z
     */
    expiresFrom?: string;
    /**
     * Format: date-time
     * @description Only passes that expire before this time.
     * @example 2026-12-31T23:00:00.000Z
     */
    expiresBefore?: string;
    /**
     * @description At most 10 fields that a pass must have.
     * @example [
     *       {
     *         "key": "tier",
     *         "value": "gold"
     *       }
     *     ]
     */
    fields?: WantedField[];
    /**
     * @description Only passes in one of these wallets; `none`: in no wallet. Default: all.
     * @example [
     *       "walletA",
     *       "walletB"
     *     ]
     */
    wallets?: ("walletA" | "walletB" | "none")[];
}
export interface TemplateMessageRequest {
    /**
     * @description A short heading, shown before the text. Default: none; Google Wallet shows the issuer’s name.
     * @example Gate change
     */
    title?: string;
    /**
     * @description The message. Apple Wallet shows it on the lock screen only if it differs from the previous message of the pass.
     * @example Your concert begins at gate C.
     */
    text: string;
    /**
     * @description The `title` and the `text` in other languages, by BCP 47 tag. Holders see their own language. A language needs a `text`; its `title` defaults to the message’s. At most 40 languages and 8000 bytes, or 4000 in a message to many.
     * @example {
     *       "de": {
     *         "title": "Neuer Eingang",
     *         "text": "Ihr Konzert beginnt an Eingang C."
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /**
     * @description A pass shows only the latest message of a topic. An unsent message with the same topic, passes and filter becomes `superseded`.
     * @example gate
     */
    topic?: string;
    /**
     * Format: date-time
     * @description When to send the message, at most a year ahead. Default: now.
     * @example 2026-12-31T23:00:00.000Z
     */
    sendAt?: string;
    /**
     * @description True: send it in quiet hours too. Default: false.
     * @example false
     */
    urgent?: boolean;
    /** @description The passes to select. Default: all that are valid or not yet valid. */
    filter?: MessageFilter;
}
export interface MessageForecast {
    /**
     * @description The passes of the template that were examined.
     * @example 5012
     */
    passes: number;
    /**
     * @description The passes that get the message, each at most once.
     * @example 5000
     */
    sent: number;
    /**
     * @description The passes in Apple Wallet that get the message.
     * @example 3100
     */
    walletA: number;
    /**
     * @description The passes in Google Wallet that get the message.
     * @example 1700
     */
    walletB: number;
    /**
     * @description The passes in no wallet that get the message: only their web page shows it.
     * @example 220
     */
    none: number;
    /** @description The passes with an opened Google link that get the message, counted by result. */
    walletBOutcomes: PassesByOutcome[];
    /** @description The skipped passes, counted by reason. */
    skipped: SkippedPasses[];
    /**
     * Format: date-time
     * @description When sending would begin.
     */
    sendAt: string;
}
export interface MessagePage {
    /** @description The entries of this page. */
    data: MessageResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface MessageRecipient {
    /**
     * @description The id of the pass.
     * @example ada
     */
    passId: string;
    /** @description True if the pass was in Apple Wallet at the time of sending. */
    walletA: boolean;
    /** @description True if the pass was in Google Wallet at the time of sending. */
    walletB: boolean;
    /**
     * @description The result at Google Wallet. `waiting`: not sent yet, for example in quiet hours. `notified`: it is on the pass, and the phone announces it. `daily_limit`: it is on the pass only, because Google allows three notifications in 24 hours. `rejected`: Google rejects it. `expired`: Google did not confirm it in 30 days. `superseded`: a later message with the same topic replaced it. `not_at_google`: the pass is not at Google, or belongs to a former issuer. `queue_full`: the pass already has 50 messages or 100 kB of messages. Null: its Google link was not opened.
     * @enum {string|null}
     */
    walletBOutcome: "waiting" | "notified" | "daily_limit" | "rejected" | "expired" | "superseded" | "not_at_google" | "queue_full" | null;
    /**
     * Format: date-time
     * @description The time of sending.
     */
    sentAt: string;
}
export interface MessageRecipientPage {
    /** @description The entries of this page. */
    data: MessageRecipient[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface QuietHours {
    /**
     * @description The local time at which the quiet hours begin.
     * @example 22:00
     */
    from: string;
    /**
     * @description The local time at which the quiet hours end, on the next day if it is not later than `from`.
     * @example 08:00
     */
    until: string;
}
export interface MessageSettingsResponse {
    /**
     * @description The time zone of the quiet hours.
     * @example Europe/Berlin
     */
    timeZone: string;
    /** @description The hours in which messages wait. */
    quietHours: {
        /**
         * @description The local time at which the quiet hours begin.
         * @example 22:00
         */
        from: string;
        /**
         * @description The local time at which the quiet hours end, on the next day if it is not later than `from`.
         * @example 08:00
         */
        until: string;
    } | null;
}
export interface MessageSettingsRequest {
    /**
     * @description The IANA time zone of the quiet hours. Default: UTC.
     * @example Europe/Berlin
     */
    timeZone?: string;
    /** @description Messages that are due in these hours wait until the hours end, unless they are `urgent`. Google Wallet notifies no holder during these hours. Default: none. */
    quietHours?: QuietHours;
}
export interface Field {
    /**
     * @description Identifies the field; never shown. Unique across fields and backFields. A leading `_` is reserved.
     * @example discount
     */
    key: string;
    /**
     * @description The label next to the value.
     * @example Discount
     */
    label: string;
    /**
     * @description The value; may be empty.
     * @example 20%
     */
    value: string;
    /**
     * @description The text on the lock screen and in Google Wallet when the value changes; `%@` is the new value. Empty or null: no text. Default: `<label>: %@`.
     * @example Your discount is %@ now
     */
    changeMessage?: string | null;
}
export interface BackField {
    /**
     * @description Identifies the field; never shown. Unique across fields and backFields. A leading `_` is reserved.
     * @example terms
     */
    key: string;
    /**
     * @description The label next to the value.
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
     * @description The text on the lock screen on arrival. Default: the name, or else the address. Wallet A only.
     * @example Show your pass at the counter
     */
    relevantText?: string;
}
export interface Action {
    /**
     * @description The kind of action. It determines the icon and the label of the button.
     * @example shop
     * @enum {string}
     */
    type: "viewSchedule" | "watchTrailer" | "listenToMusic" | "call" | "place" | "addToBalance" | "order" | "shop" | "membershipBenefits" | "bookAppointment" | "bookCar" | "bookFlight" | "bookStay" | "viewOffersRewards";
    /**
     * @description The address that the button opens: `tel:` and a number (`call`), `https://maps.apple.com/place?place-id=…` (`place`) or any https address.
     * @example https://example.com/shop
     */
    url: string;
}
export interface PassGroupRequest {
    /**
     * @description The id of the group, the same for all its passes.
     * @example order-1042
     */
    id: string;
    /**
     * @description The position of the pass in its group; smaller numbers come first. Default: 0.
     * @example 1
     */
    order?: number | null;
}
export interface PassReferenceRequest {
    /**
     * @description The id of the pass’s template.
     * @example parking
     */
    templateId: string;
    /**
     * @description The id of the pass.
     * @example ada
     */
    passId: string;
}
export interface PassResponse {
    /**
     * @description The id of the pass.
     * @example ada
     */
    id: string;
    /**
     * @description The id of the template.
     * @example summer-sale
     */
    templateId: string;
    /**
     * @description The id of the account.
     * @example acc_3kTq9ZbXcVn1MlPoIu7Yt2
     */
    accountId: string;
    /**
     * @description The content of the barcode.
     * @example SUMMER-0001
     */
    code: string;
    /**
     * Format: date-time
     * @description The time from which the pass is valid.
     * @example 2026-06-01T00:00:00.000Z
     */
    validFrom?: string;
    /**
     * Format: date-time
     * @description The time of expiry.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiry?: string;
    /**
     * @description True if the pass was voided or its template is archived.
     * @example false
     */
    voided: boolean;
    /**
     * @description The value of the template’s `primaryLabel`.
     * @example Ada Lovelace
     */
    primaryValue?: string;
    /** @description The fields on the front. */
    fields: Field[];
    /** @description The fields on the back. */
    backFields: BackField[];
    /** @description The places near which phones suggest the pass. */
    locations: Location[];
    /**
     * @description The language of the holder.
     * @example de
     */
    language?: string;
    /**
     * @description The texts in other languages.
     * @example {
     *       "de": {
     *         "fields.discount.value": "20 % auf alles"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /** @description The links that the pass offers. */
    actions?: Action[];
    group?: PassGroupRequest;
    /** @description Other passes of the holder. */
    linkedPasses?: PassReferenceRequest[];
    /**
     * @description Internal data, which a pass never shows.
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
     * @description When the pass was redeemed.
     */
    redeemedAt?: string;
    /**
     * Format: date-time
     * @description The time of the creation.
     * @example 2026-05-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The last change of the pass itself that a holder can see; changes of the metadata do not count. For changes of the template, including archiving, see its `updatedAt`.
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
     * @description The id of the pass, which cannot be changed. Default: an unguessable id.
     * @example ada
     */
    id?: string | null;
    /**
     * @description The content of the barcode, unique within the template. It must fit the `codeFormat` of the template. Default: an unguessable code. A default code does not fit an EAN-13 and is shown as a QR code.
     * @example SUMMER-0001
     */
    code?: string | null;
    /**
     * Format: date-time
     * @description The pass is not valid before this time.
     * @example 2026-06-01T00:00:00.000Z
     */
    validFrom?: string | null;
    /**
     * Format: date-time
     * @description The pass is not valid from this time on. Must be later than `validFrom`.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiry?: string | null;
    /**
     * @description The value of the template’s `primaryLabel`. Required for generic and membership templates, rejected for others.
     * @example Ada Lovelace
     */
    primaryValue?: string | null;
    /**
     * @description URL of an image that replaces the template’s thumbnail. Only for generic templates.
     * @example http://localhost:3000/images/samples/thumbnail.png
     */
    thumbnail?: string | null;
    /** @description Each field replaces the template’s field with the same `key`; a field with a new key is appended. At most 4 on the front in total. */
    fields?: Field[] | null;
    /** @description Like `fields`, for the back of the pass. Keys are unique across front and back. */
    backFields?: BackField[] | null;
    /** @description Appended to the template’s locations; at most 10 in total. */
    locations?: Location[] | null;
    /**
     * @description The BCP 47 tag of the holder’s language; an extension of this service. E-mails use it. The web view uses it if no language of the browser fits.
     * @example de
     */
    language?: string | null;
    /** @description Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons. They replace those of the template; an empty list removes them. */
    actions?: Action[] | null;
    /** @description The group of the pass; an extension of this service. Use a group for one holder only: anyone with the link of one pass sees the others. Apple Wallet stacks only the event tickets of a group; Google Wallet stacks all its passes. */
    group?: {
        /**
         * @description The id of the group, the same for all its passes.
         * @example order-1042
         */
        id: string;
        /**
         * @description The position of the pass in its group; smaller numbers come first. Default: 0.
         * @example 1
         */
        order?: number | null;
    } | null;
    /** @description Other passes of the holder, at most 10; an extension of this service. Anyone with the link of this pass sees them. Google Wallet adds them when the holder saves this pass. */
    linkedPasses?: PassReferenceRequest[] | null;
    /**
     * @description Whether the pass is void.
     * @example false
     */
    voided?: boolean | null;
    /**
     * @description The texts of the pass in other languages, by BCP 47 tag and key; an extension of this service. Keys are `primaryValue`, keys of fields such as `fields.<key>.value`, and `locations.<index>.name`, `.address` and `.relevantText`. They take precedence over the translations of the template. At most 40 languages and 20000 bytes.
     * @example {
     *       "de": {
     *         "fields.discount.value": "20 % auf alles"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    } | null;
    /**
     * @description Internal data, which a pass never shows. At most 5000 characters when serialised.
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
     * @description The key of the field; `_primary` is the primary value.
     * @example points
     */
    key: string;
    /**
     * @description The text on the lock screen.
     * @example Points: 120
     */
    message: string;
    /**
     * @description The text in the other languages of the template and the pass; absent without translations. Phones show the language of their holder.
     * @example {
     *       "de": "Punkte: 120"
     *     }
     */
    translations?: {
        [key: string]: string;
    };
    /**
     * @description `notification`: on the lock screen of devices that have a changed pass.
     * @enum {string}
     */
    shown: "notification" | "nowhere";
    /**
     * @description `not_installed`: no device has a changed pass.
     * @enum {string|null}
     */
    reason: "not_installed" | null;
}
export interface MessageNotification {
    /**
     * @description The key of the field; `_primary` is the primary value.
     * @example points
     */
    key: string;
    /**
     * @description The text of the message.
     * @example Points: 120
     */
    message: string;
    /**
     * @description The text in the other languages of the template and the pass; absent without translations. Phones show the language of their holder.
     * @example {
     *       "de": "Punkte: 120"
     *     }
     */
    translations?: {
        [key: string]: string;
    };
    /**
     * @description `notification`: in a notification and on the pass. `pass`: on the pass only. `nowhere`: the change undoes an unsent change, so holders see no difference.
     * @enum {string}
     */
    shown: "notification" | "pass" | "nowhere";
    /**
     * @description Why there is no notification, or none yet. `quiet_hours`: the account has quiet hours now. `daily_limit`: Google allows three per pass in 24 hours. `undone`: the change undoes an unsent change.
     * @enum {string|null}
     */
    reason: "quiet_hours" | "daily_limit" | "undone" | null;
    /**
     * Format: date-time
     * @description The end of the quiet hours, when the phone announces the message. Null without `quiet_hours`.
     */
    notifiesAt: string | null;
}
export interface SilentNotification {
    /**
     * @description The key of the field.
     * @example points
     */
    key: string;
    /** @description The wallets that show no notification. */
    wallets: ("walletA" | "walletB")[];
    /**
     * @description `silent_field`: its change message is empty. `new_field`, `removed_field`: wallets announce only changed values. `pass_state`: the pass is void, used or expired. `not_installed`: no holder has opened the Google link. `announced_by_google`: Google announces this detail of an event ticket in its own words. `quiet_hours`: Google announces nothing in quiet hours.
     * @enum {string}
     */
    reason: "pass_state" | "removed_field" | "new_field" | "silent_field" | "not_installed" | "announced_by_google" | "quiet_hours";
}
export interface Notifications {
    /** @description The text that Apple Wallet shows. */
    walletA: Notification[];
    /** @description The text that Google Wallet shows in a message. Empty for a silent change, and if no holder has opened the Google link of the pass. Several changes within seconds become one message with the newest text. */
    walletB: MessageNotification[];
    /** @description Changed front fields that `walletA` or `walletB` does not list. */
    silent: SilentNotification[];
}
export interface ChangedPassWithLinks {
    /** @description The Apple Wallet package; public. */
    walletAUrl: string;
    /** @description The Google Wallet save link; public. */
    walletBUrl: string;
    /** @description The web view; public. */
    webUrl: string;
    pass: PassResponse;
    /** @description The notifications that holders see for this change. All other changes are silent. */
    notifications: Notifications;
}
export interface ListedPass {
    /**
     * @description The id of the pass.
     * @example ada
     */
    id: string;
    /**
     * @description The id of the template.
     * @example summer-sale
     */
    templateId: string;
    /**
     * @description The id of the account.
     * @example acc_3kTq9ZbXcVn1MlPoIu7Yt2
     */
    accountId: string;
    /**
     * @description The content of the barcode.
     * @example SUMMER-0001
     */
    code: string;
    /**
     * Format: date-time
     * @description The time from which the pass is valid.
     * @example 2026-06-01T00:00:00.000Z
     */
    validFrom?: string;
    /**
     * Format: date-time
     * @description The time of expiry.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiry?: string;
    /**
     * @description True if the pass was voided or its template is archived.
     * @example false
     */
    voided: boolean;
    /**
     * @description The value of the template’s `primaryLabel`.
     * @example Ada Lovelace
     */
    primaryValue?: string;
    /** @description The fields on the front. */
    fields: Field[];
    /** @description The fields on the back. */
    backFields: BackField[];
    /** @description The places near which phones suggest the pass. */
    locations: Location[];
    /**
     * @description The language of the holder.
     * @example de
     */
    language?: string;
    /**
     * @description The texts in other languages.
     * @example {
     *       "de": {
     *         "fields.discount.value": "20 % auf alles"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /** @description The links that the pass offers. */
    actions?: Action[];
    group?: PassGroupRequest;
    /** @description Other passes of the holder. */
    linkedPasses?: PassReferenceRequest[];
    /**
     * @description Internal data, which a pass never shows.
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
     * @description When the pass was redeemed.
     */
    redeemedAt?: string;
    /**
     * Format: date-time
     * @description The time of the creation.
     * @example 2026-05-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The last change of the pass itself that a holder can see; changes of the metadata do not count. For changes of the template, including archiving, see its `updatedAt`.
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
export interface ListedPassPage {
    /** @description The entries of this page. */
    data: ListedPass[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface PassPatch {
    /**
     * @description The id of the pass, which cannot be changed. Default: an unguessable id.
     * @example ada
     */
    id?: string | null;
    /**
     * @description The content of the barcode, unique within the template. It must fit the `codeFormat` of the template. Default: an unguessable code. A default code does not fit an EAN-13 and is shown as a QR code.
     * @example SUMMER-0001
     */
    code?: string | null;
    /**
     * Format: date-time
     * @description The pass is not valid before this time.
     * @example 2026-06-01T00:00:00.000Z
     */
    validFrom?: string | null;
    /**
     * Format: date-time
     * @description The pass is not valid from this time on. Must be later than `validFrom`.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiry?: string | null;
    /**
     * @description The value of the template’s `primaryLabel`. Required for generic and membership templates, rejected for others.
     * @example Ada Lovelace
     */
    primaryValue?: string | null;
    /**
     * @description URL of an image that replaces the template’s thumbnail. Only for generic templates.
     * @example http://localhost:3000/images/samples/thumbnail.png
     */
    thumbnail?: string | null;
    /** @description Each field replaces the template’s field with the same `key`; a field with a new key is appended. At most 4 on the front in total. */
    fields?: Field[] | null;
    /** @description Like `fields`, for the back of the pass. Keys are unique across front and back. */
    backFields?: BackField[] | null;
    /** @description Appended to the template’s locations; at most 10 in total. */
    locations?: Location[] | null;
    /**
     * @description The BCP 47 tag of the holder’s language; an extension of this service. E-mails use it. The web view uses it if no language of the browser fits.
     * @example de
     */
    language?: string | null;
    /** @description Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons. They replace those of the template; an empty list removes them. */
    actions?: Action[] | null;
    /** @description The group of the pass; an extension of this service. Use a group for one holder only: anyone with the link of one pass sees the others. Apple Wallet stacks only the event tickets of a group; Google Wallet stacks all its passes. */
    group?: {
        /**
         * @description The id of the group, the same for all its passes.
         * @example order-1042
         */
        id: string;
        /**
         * @description The position of the pass in its group; smaller numbers come first. Default: 0.
         * @example 1
         */
        order?: number | null;
    } | null;
    /** @description Other passes of the holder, at most 10; an extension of this service. Anyone with the link of this pass sees them. Google Wallet adds them when the holder saves this pass. */
    linkedPasses?: PassReferenceRequest[] | null;
    /**
     * @description Whether the pass is void.
     * @example false
     */
    voided?: boolean | null;
    /**
     * @description Merged into the existing translations; null removes a language or a text. The texts of the pass in other languages, by BCP 47 tag and key; an extension of this service. Keys are `primaryValue`, keys of fields such as `fields.<key>.value`, and `locations.<index>.name`, `.address` and `.relevantText`. They take precedence over the translations of the template. At most 40 languages and 20000 bytes.
     * @example {
     *       "de": {
     *         "fields.discount.value": "20 % auf alles"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string | null;
        } | null;
    } | null;
    /**
     * @description Merged into the existing metadata; null removes a property. Internal data, which a pass never shows. At most 5000 characters when serialised.
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
     * @description Replaces the existing metadata. Internal data, which a pass never shows. At most 5000 characters when serialised.
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
    /**
     * @description `system`: the service itself.
     * @enum {string}
     */
    kind: "user" | "apiKey" | "system";
    /** @description The `uid` of the user or the id of the key. */
    id: string | null;
    /** @description The current name of the user or key; null if it no longer exists. */
    name: string | null;
}
export interface AuditTargetResponse {
    /**
     * @description The kind of target, such as `pass`.
     * @example template
     */
    kind: string;
    /**
     * @description For a pass: `<templateId>:<passId>`. Null if the caller may not read the target.
     * @example summer
     */
    id: string | null;
}
export interface AuditEventResponse {
    /** @description The id of the event. */
    id: string;
    /**
     * Format: date-time
     * @description The time of the action.
     */
    at: string;
    actor: AuditActorResponse;
    /**
     * @description The kind of action, such as `pass.voided`.
     * @example template.changed
     */
    action: string;
    target: AuditTargetResponse;
    /** @description The IP address of the caller; null for the system. */
    ip: string | null;
    /** @description `X-Request-Id` of the response. */
    requestId: string | null;
    /** @description The changed properties before the change. Never contains secrets. */
    before: {
        [key: string]: unknown;
    } | null;
    /** @description The changed properties after the change. */
    after: {
        [key: string]: unknown;
    } | null;
}
export interface AuditEventPage {
    /** @description The entries of this page. */
    data: AuditEventResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface RegisterRequest {
    /**
     * @description The e-mail that the user signs in with. Unique; upper and lower case are the same.
     * @example mary@example.com
     */
    email: string;
    /**
     * @description 8 to 200 characters on one line.
     * @example correct horse battery staple
     */
    password: string;
    /**
     * @description The user's name.
     * @example Mary Somerville
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
     * @description Works once. Exchange it for the next pair of tokens.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP.ses_9aQe3Zr6Uy1Ht5Nk8Mb2Xc.q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw
     */
    refreshToken: string;
    /**
     * @description The scheme of the `Authorization` header.
     * @example Bearer
     * @enum {string}
     */
    tokenType: "Bearer";
    /**
     * @description Lifetime of the access token in seconds.
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
     * @example mary@example.com
     */
    email: string;
    /**
     * @description The password.
     * @example correct horse battery staple
     */
    password: string;
    /** @description The account to act on. Default: the account that the user joined first. */
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
     * @description An account that the user is in.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP
     */
    accountId: string;
}
export interface ForgotPasswordRequest {
    /**
     * @description The user's e-mail, in upper or lower case.
     * @example mary@example.com
     */
    email: string;
}
export interface ResetPasswordRequest {
    /**
     * @description The code from the link in the e-mail.
     * @example q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw
     */
    code: string;
    /**
     * @description 8 to 200 characters on one line.
     * @example correct horse battery staple
     */
    password: string;
}
export interface ChangePasswordRequest {
    /**
     * @description The current password.
     * @example correct horse battery staple
     */
    currentPassword: string;
    /**
     * @description 8 to 200 characters on one line.
     * @example a cat walked over my keyboard
     */
    newPassword: string;
}
export interface ChangeEmailRequest {
    /**
     * @description The new e-mail, which the user must confirm.
     * @example mary.somerville@example.com
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
     * @description The code from the link in the e-mail.
     * @example q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw
     */
    code: string;
}
export interface SessionResponse {
    /**
     * @description The id of the session.
     * @example ses_9aQe3Zr6Uy1Ht5Nk8Mb2Xc
     */
    id: string;
    /**
     * @description The account that the session acts on.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP
     */
    accountId: string;
    /**
     * @description The name of the account.
     * @example Analytical Engines
     */
    accountName: string;
    /**
     * Format: date-time
     * @description When the session was opened.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description When the session was last opened or refreshed.
     */
    lastUsedAt: string;
    /** @description The IP address from which the session was last opened or refreshed. */
    ip: string | null;
    /**
     * @description The user agent of the program that opened the session, at most 200 characters.
     * @example Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0
     */
    userAgent: string | null;
    /** @description Whether this is the session of the request. */
    current: boolean;
}
export interface SessionPage {
    /** @description The entries of this page. */
    data: SessionResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
/**
 * @description The scopes of the key. Default: all scopes that you have, except `account:write`.
 * @enum {string}
 */
export type Scope = "templates:read" | "templates:write" | "passes:read" | "passes:write" | "members:read" | "members:write" | "account:read" | "account:write";
export interface NewApiKeyRequest {
    /**
     * @description What the key is used for, on one line.
     * @example Web shop
     */
    name: string;
    /** @description The scopes of the key. Default: all scopes that you have, except `account:write`. */
    scopes?: Scope[];
    /** @description The MCP tools that agents with this key can use. Default: all tools, or those of the key that creates it. Does not limit other requests with the key. */
    tools?: string[] | null;
    /** @description True: the key works only at `/mcp`, and a user of the account must confirm each plan of its agents. Default: false, or true if the key that creates it is supervised. */
    supervised?: boolean;
    /**
     * Format: date-time
     * @description When the key expires. Default: never, or when the creating key does.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiresAt?: string;
}
export interface ApiKeyWithSecretResponse {
    /**
     * @description The id of the API key.
     * @example 4fzTm0Jd8xYc2LqWvB7RkP
     */
    id: string;
    /**
     * @description The name of the API key.
     * @example Web shop
     */
    name: string;
    /**
     * @description The first characters of the key.
     * @example pw_live_4fzTm0Jd8xYc2LqWvB7RkP
     */
    prefix: string;
    /** @description The scopes of the key. */
    scopes: Scope[];
    /**
     * @description The MCP tools that agents with this key can use. Null: all tools.
     * @example [
     *       "listTemplates",
     *       "createPass"
     *     ]
     */
    tools: string[] | null;
    /** @description True: the key works only at `/mcp`, and a user must confirm each plan of its agents. */
    supervised: boolean;
    /**
     * Format: date-time
     * @description When the key expires. Null: never.
     */
    expiresAt: string | null;
    /**
     * Format: date-time
     * @description When the key was last used, to the minute. Null: never used.
     */
    lastUsedAt: string | null;
    /**
     * Format: date-time
     * @description The time of the creation.
     */
    createdAt: string;
    /**
     * @description The whole key, shown only this once. Send it as `Authorization: Bearer pw_live_…`.
     * @example pw_live_4fzTm0Jd8xYc2LqWvB7RkP_9aQe3Zr6Uy1Ht5Nk8Mb2Xc_n3K8vQxZ2mT7yLcW5bHf0RjD9sPgA4eUiV6oXqM1tYB1mOirF
     */
    key: string;
}
export interface ApiKeyResponse {
    /**
     * @description The id of the API key.
     * @example 4fzTm0Jd8xYc2LqWvB7RkP
     */
    id: string;
    /**
     * @description The name of the API key.
     * @example Web shop
     */
    name: string;
    /**
     * @description The first characters of the key.
     * @example pw_live_4fzTm0Jd8xYc2LqWvB7RkP
     */
    prefix: string;
    /** @description The scopes of the key. */
    scopes: Scope[];
    /**
     * @description The MCP tools that agents with this key can use. Null: all tools.
     * @example [
     *       "listTemplates",
     *       "createPass"
     *     ]
     */
    tools: string[] | null;
    /** @description True: the key works only at `/mcp`, and a user must confirm each plan of its agents. */
    supervised: boolean;
    /**
     * Format: date-time
     * @description When the key expires. Null: never.
     */
    expiresAt: string | null;
    /**
     * Format: date-time
     * @description When the key was last used, to the minute. Null: never used.
     */
    lastUsedAt: string | null;
    /**
     * Format: date-time
     * @description The time of the creation.
     */
    createdAt: string;
}
export interface ApiKeyPage {
    /** @description The entries of this page. */
    data: ApiKeyResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface AgentPlanResponse {
    /**
     * @description The id of the plan.
     * @example 4fzTm0Jd8xYc2LqWvB7RkP
     */
    id: string;
    /**
     * @description The API key of the agent.
     * @example 4fzTm0Jd8xYc2LqWvB7RkP
     */
    keyId: string;
    /**
     * @description The tool that the agent wants to call.
     * @example upsertTemplate
     */
    tool: string;
    /** @description The effect of the call, with the numbers of passes and devices that it reaches. */
    does: string;
    /** @description The id of the template. */
    templateId: string | null;
    /** @description The id of the pass. */
    passId: string | null;
    /** @description The numbers of `passes`, `appleDevices` and `googlePasses` that change. */
    reaches: {
        [key: string]: number;
    };
    /**
     * @description The names of the changed properties. Empty for a call that voids a pass.
     * @example [
     *       "code",
     *       "fields"
     *     ]
     */
    changed: string[];
    /**
     * Format: date-time
     * @description The time of the creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time of expiry.
     */
    expiresAt: string;
    /**
     * Format: date-time
     * @description Null: not confirmed.
     */
    confirmedAt: string | null;
}
export interface AgentPlanPage {
    /** @description The entries of this page. */
    data: AgentPlanResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface AgentPlanDetails {
    /**
     * @description The id of the plan.
     * @example 4fzTm0Jd8xYc2LqWvB7RkP
     */
    id: string;
    /**
     * @description The API key of the agent.
     * @example 4fzTm0Jd8xYc2LqWvB7RkP
     */
    keyId: string;
    /**
     * @description The tool that the agent wants to call.
     * @example upsertTemplate
     */
    tool: string;
    /** @description The effect of the call, with the numbers of passes and devices that it reaches. */
    does: string;
    /** @description The id of the template. */
    templateId: string | null;
    /** @description The id of the pass. */
    passId: string | null;
    /** @description The numbers of `passes`, `appleDevices` and `googlePasses` that change. */
    reaches: {
        [key: string]: number;
    };
    /**
     * @description The names of the changed properties. Empty for a call that voids a pass.
     * @example [
     *       "code",
     *       "fields"
     *     ]
     */
    changed: string[];
    /**
     * Format: date-time
     * @description The time of the creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time of expiry.
     */
    expiresAt: string;
    /**
     * Format: date-time
     * @description Null: not confirmed.
     */
    confirmedAt: string | null;
    /**
     * @description The changed properties with their values before and after the call.
     * @example {
     *       "code": {
     *         "from": "A-1",
     *         "to": "A-2"
     *       }
     *     }
     */
    changes: {
        [key: string]: {
            /** @description The present value. Absent: not set. */
            from?: unknown;
            /** @description The current value. Absent: not set. */
            to?: unknown;
        };
    };
}
export interface OwnAccountResponse {
    /**
     * @description The id of the account.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP
     */
    id: string;
    /**
     * @description The name of the account.
     * @example Analytical Engines
     */
    name: string;
    /**
     * @description Whether the user is an admin of the account.
     * @example true
     */
    isAdmin: boolean;
    /**
     * @description Whether this is a test account.
     * @example false
     */
    test: boolean;
}
export interface ProfileResponse {
    /**
     * @description The id of the user.
     * @example usr_9aQe3Zr6Uy1Ht5Nk8Mb2Xc
     */
    uid: string;
    /**
     * @description The name of the user.
     * @example Ada Lovelace
     */
    name: string;
    /**
     * @description The e-mail address.
     * @example ada@example.com
     */
    email: string;
    /**
     * @description The active account.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP
     */
    accountId: string;
    /** @description The accounts, in the order in which the user joined; at most 100. `POST /v1/auth/switch` switches to another. */
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
    /** @description True for a test account: its passes have development credentials, and its mails go only to its own users. Cannot be changed later. Default: false. */
    test?: boolean;
}
export interface AccountUserResponse {
    /**
     * @description The name of the user.
     * @example Ada Lovelace
     */
    name: string;
    /**
     * @description The e-mail address.
     * @example ada@example.com
     */
    email: string;
    /**
     * @description Admins manage people, keys and settings. Other users can do everything with templates, passes and members.
     * @example true
     */
    isAdmin: boolean;
}
export interface AccountMemberResponse {
    /**
     * @description The id of the user.
     * @example usr_9aQe3Zr6Uy1Ht5Nk8Mb2Xc
     */
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
     * @description Bytes of stored images: uploads and the sizes generated from them.
     * @example 1204311
     */
    imageBytes: number;
    /**
     * @description Maximum number of bytes of images. Absent: no limit.
     * @example 5368709120
     */
    maxImageBytes?: number;
}
export interface InviteResponse {
    /**
     * @description Accepts the invitation once, unless the invited person will be an admin: that needs the code from the e-mail. An API key gets the `ref` instead.
     * @example 4fzTm0Jd8xYc2LqWvB7RkP9aQe3Zr6Uy1Ht5Nk8Mb2Xcn3K8vQxZ2mT7yLcW5bHf0w
     */
    code: string;
    /**
     * Format: date-time
     * @description When the invitation ends: after 7 days, or with the API key that sent it.
     */
    expiry: string;
    /**
     * @description Identifies the invitation in the audit trail and for withdrawal. It cannot accept the invitation.
     * @example 4fzTm0Jd8xYc2LqWvB7RkP
     */
    ref: string;
    /**
     * @description The e-mail address.
     * @example grace@example.com
     */
    email: string;
    /**
     * @description Whether the invited person will be an admin.
     * @example false
     */
    isAdmin: boolean;
}
/** @enum {string} */
export type SubscriptionStatus = "trialing" | "active" | "past_due" | "canceled" | "unpaid";
export interface SubscriptionResponse {
    /**
     * @description The id of the plan.
     * @example pro
     */
    planId: string;
    /** @description The state of the subscription. */
    status: SubscriptionStatus;
    /**
     * @description The payment provider’s id of the subscription.
     * @example sub_1RkFQ2Lx4nB7
     */
    paymentSubscriptionId?: string;
    /**
     * Format: date-time
     * @description The start of the billing period.
     * @example 2026-11-01T00:00:00.000Z
     */
    currentPeriodStart: string;
    /**
     * Format: date-time
     * @description The end of the billing period.
     * @example 2026-12-01T00:00:00.000Z
     */
    currentPeriodEnd: string;
    /**
     * @description The length of a billing period.
     * @enum {string}
     */
    period: "month" | "year";
}
export interface EnterpriseConfigResponse {
    /**
     * @description Maximum number of templates, not counting archived ones. Absent: no limit.
     * @example 50
     */
    maxTemplates?: number;
    /**
     * @description Maximum number of passes created in a billing period. Absent: no limit.
     * @example 100000
     */
    maxPassCreations?: number;
}
export interface BillingResponse {
    /**
     * @description The id of the account at the payment provider.
     * @example cus_S7tq0XyB2
     */
    paymentCustomerId?: string;
    subscription?: SubscriptionResponse;
    enterpriseConfig: EnterpriseConfigResponse;
}
export interface AccountDeletionResponse {
    /**
     * Format: date-time
     * @description The time of the request.
     * @example 2026-11-20T10:00:00.000Z
     */
    requestedAt: string;
    /**
     * Format: date-time
     * @description An admin can cancel the deletion until this time.
     * @example 2026-11-27T10:00:00.000Z
     */
    deletesAt: string;
}
export interface AccountResponse {
    /**
     * @description The id of the account.
     * @example acc_4fzTm0Jd8xYc2LqWvB7RkP
     */
    id: string;
    /**
     * @description The name of the account.
     * @example Analytical Engines
     */
    name: string;
    /**
     * @description Absent if it is not set.
     * @example Mechanical computing
     */
    industry?: string;
    /**
     * @description True for a test account.
     * @example false
     */
    test: boolean;
    /** @description Users of the account, in order of joining; at most 1000. */
    members: AccountMemberResponse[];
    usage: AccountUsageResponse;
    storage: AccountStorageResponse;
    /** @description Open invitations, newest first. For admins and for API keys with `account:write`; otherwise empty. */
    invites: InviteResponse[];
    billing: BillingResponse;
    /** @description Present only while the account is being deleted. */
    deletion?: AccountDeletionResponse;
}
export interface AccountPatch {
    /**
     * @description The name of the account. It cannot be cleared.
     * @example Analytical Engines
     */
    name?: string;
    /**
     * @description The account’s line of business. Null clears it.
     * @example Mechanical computing
     */
    industry?: string | null;
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
     * @description Your password. Leave it out if you sign in through an identity provider and have no password; then the session must be at most 15 minutes old.
     * @example correct horse battery staple
     */
    password?: string;
}
export interface InviteRequest {
    /**
     * @description The e-mail of the invited person. No other person can accept.
     * @example grace@example.com
     */
    email: string;
    /**
     * @description Whether the user will be an admin of the account. Default: false.
     * @example false
     */
    isAdmin?: boolean;
}
export interface InvitePage {
    /** @description The entries of this page. */
    data: InviteResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface InvitationResponse {
    /**
     * @description The name of the account.
     * @example Analytical Engines
     */
    accountName: string;
    /**
     * @description The invited e-mail address.
     * @example grace@example.com
     */
    email: string;
    /**
     * @description Whether the invited person will be an admin.
     * @example false
     */
    isAdmin: boolean;
    /**
     * @description The name of the inviter; absent if an API key sent the invitation.
     * @example Ada Lovelace
     */
    invitedBy?: string;
    /**
     * Format: date-time
     * @description The time of expiry.
     */
    expiry: string;
    /**
     * @description Whether the invited person is already a user. If true, log in and accept with the access token; otherwise accept with a name and a password. Absent without the code from the e-mail.
     * @example false
     */
    userExists?: boolean;
}
export interface InviteAcceptance {
    /**
     * @description The name of the new user. Leave it out with an access token.
     * @example Grace Hopper
     */
    name?: string;
    /**
     * @description The password of the new user, 8 to 200 characters on one line. Leave it out with an access token.
     * @example correct horse battery staple
     */
    password?: string;
}
export interface UsageMonthResponse {
    /**
     * @description The month in UTC.
     * @example 2026-11
     */
    month: string;
    /**
     * @description Passes created in the month, including deleted ones.
     * @example 1204
     */
    passCreations: number;
    /**
     * @description Passes that are neither void nor expired at the end of the month, or now for the current month. Null if it was not recorded.
     * @example 8310
     */
    activePasses: number | null;
}
export interface UsageMonthPage {
    /** @description The entries of this page. */
    data: UsageMonthResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface UsageDayResponse {
    /**
     * Format: date
     * @description The day in UTC.
     * @example 2026-11-27
     */
    day: string;
    /**
     * @description Passes created on the day, including deleted ones.
     * @example 41
     */
    passCreations: number;
    /**
     * @description Passes redeemed on the day.
     * @example 17
     */
    redemptions: number;
    /**
     * @description Passes added to wallets on the day: one for each device, or for each save at Google.
     * @example 35
     */
    installations: number;
}
export interface UsageDayPage {
    /** @description The entries of this page. */
    data: UsageDayResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface SignInCodeRequest {
    /**
     * @description The code from the fragment of `returnTo`. It works once, within a minute.
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
    /**
     * Format: date-time
     * @description The time of the creation.
     */
    createdAt: string;
}
export interface ApplePushState {
    /**
     * @description `off`: this certificate cannot send pushes. `halted`: Apple's push service rejects the certificate; the service tries again at `retryAt`.
     * @enum {string}
     */
    state: "on" | "off" | "halted";
    /** @description Why pushes are off or halted. */
    reason: string | null;
    /**
     * Format: date-time
     * @description When pushes were halted.
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
    /**
     * @description The pass type.
     * @example pass.com.example.club
     */
    passTypeIdentifier: string | null;
    /**
     * @description The id of the team at Apple.
     * @example A1B2C3D4E5
     */
    teamIdentifier: string | null;
    /**
     * @description The name of the organisation.
     * @example Analytical Engines Ltd
     */
    organizationName: string | null;
    /** @description SHA-256 of the certificate's DER, in lower-case hex. */
    fingerprint: string | null;
    /**
     * Format: date-time
     * @description The time of expiry.
     */
    expiresAt: string | null;
    /** @description Whole days until the certificate expires. */
    daysLeft: number | null;
    /**
     * @description `expiring`: at most 60 days are left. `expired`: the service cannot sign, and downloads return 503 `wallet_unavailable`.
     * @enum {string}
     */
    status: "valid" | "expiring" | "expired";
    /** @description True for a certificate from a development chain. Phones reject passes signed with it. */
    development: boolean;
    /** @description Why the service cannot sign with the certificate. */
    problem: string | null;
    /** @description The pending certificate signing request. */
    request: {
        /**
         * @description The certificate signing request as PEM text, for Apple's developer portal.
         * @example -----BEGIN CERTIFICATE REQUEST-----
         *     MIIC…
         *     -----END CERTIFICATE REQUEST-----
         */
        request: string;
        /**
         * Format: date-time
         * @description The time of the creation.
         */
        createdAt: string;
    } | null;
    push: ApplePushState;
}
export interface AppleCertificateUpload {
    /** @description A PKCS#12 file (`.p12`, `.pfx`) with certificate and key, in base64, such as a Keychain export. Send no other property but its `passphrase`. */
    pkcs12?: string;
    /** @description The Pass Type ID certificate: PEM text, or the file in base64 (such as the `.cer` from the portal). Send it alone if the service already has its key. */
    certificate?: string;
    /** @description The certificate's RSA private key: PEM text, or the file in base64. */
    privateKey?: string;
    /** @description The passphrase of the PKCS#12 file or of an encrypted private key. */
    passphrase?: string;
    /** @description The issuer's certificate: PEM text, or the file in base64. Default: the Apple WWDR G4 certificate, if it is the issuer. */
    intermediate?: string;
}
export interface GoogleServiceAccountResponse {
    /**
     * @description `account`: the account's own issuer. `operator`: the issuer of the service's operator. `development`: neither exists, and the service writes nothing to Google.
     * @enum {string}
     */
    source: "account" | "operator" | "development";
    /**
     * @description The id of the issuer at Google.
     * @example 3388000000012345678
     */
    issuerId: string | null;
    /**
     * @description The address of the service account.
     * @example passes@example.iam.gserviceaccount.com
     */
    clientEmail: string | null;
    /** @description True if Google does not know the issuer. Save links then show the passes but save nothing. */
    development: boolean;
    /**
     * Format: date-time
     * @description When the account uploaded its service account; null for the operator's.
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
    /**
     * @description The id of the issuer at Google.
     * @example 3388000000012345678
     */
    issuerId: string | null;
    /**
     * @description The address of the service account.
     * @example passes@example.iam.gserviceaccount.com
     */
    clientEmail: string | null;
    /** @description True if Google does not know the issuer. Save links then show the passes but save nothing. */
    development: boolean;
    /**
     * Format: date-time
     * @description When the account uploaded its service account; null for the operator's.
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
     * @description Unique within the account.
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
     * @description The time of the creation.
     * @example 2026-11-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time of the last change.
     * @example 2026-11-20T10:00:00.000Z
     */
    updatedAt: string;
    /** @description Only in the response to a visible change: the notifications that holders see. Google allows three notifications of a pass in 24 hours. */
    notifications?: Notifications;
    /**
     * @description The font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description The background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description The colour of labels. Default: the foreground colour. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; it need not be square. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide image, also used in link previews. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description The background of the web view. Default: the background colour. Web only. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description The title shown on the pass.
     * @example 20% off your next visit
     */
    title: string;
    /**
     * @description The name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Removes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The format of the barcode that shows the code of each pass; an extension of this service. Default: `qr`. `code128` holds up to 40 ASCII characters, `code39` up to 28 digits, capital letters, spaces and - . $ / + %, `codabar` up to 36 digits and - $ : / . +, optionally between two letters A to D, `ean13` 13 digits, `itf` an even number of digits up to 40. The last digit of an EAN-13 and of an ITF with 14 digits must be its check digit. Wallets that cannot draw the format show a QR code.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128" | "code39" | "codabar" | "ean13" | "itf";
    /** @description The places where the passes appear on the lock screen. A pass’s own locations are appended. */
    locations?: Location[];
    /** @description The fields on the front. A pass can override fields by key. */
    fields?: Field[];
    /** @description The fields on the back. A pass can override fields by key. */
    backFields?: BackField[];
    /**
     * @description The BCP 47 tag of the language of the template’s own texts; an extension of this service. Default: the language of the installation, normally `en`.
     * @example en
     */
    language?: string;
    /**
     * @description The texts in other languages, by BCP 47 tag and key; an extension of this service. Keys are `title`, `issuerName`, `primaryLabel`, `fields.<key>.label`, `.value` and `.changeMessage`, `backFields.<key>.label` and `.value`; `name`, `address` and `relevantText` of `location` and of `locations.<index>`; `actions.<index>.url`; and the addresses of images: `images.logo`, `banner`, `background`, `thumbnail` and `artwork`, at most 20 images in total. Wallets, pages and previews show each holder the texts of their language. At most 40 languages and 100000 bytes.
     * @example {
     *       "de": {
     *         "title": "20 % auf den nächsten Besuch"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /** @description Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons. A pass can have its own actions instead. */
    actions?: Action[];
    /**
     * @description The portrait image of the pass as a poster, 358 × 448 points; an extension of this service. On iOS 27 and later, Apple Wallet shows the texts on it; older systems show the classic style. The web view shows it in place of the banner. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/artwork.png
     */
    artwork?: string;
    /**
     * @description The type of template. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "offer";
}
export interface EventTemplate {
    /**
     * @description Unique within the account.
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
     * @description The time of the creation.
     * @example 2026-11-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time of the last change.
     * @example 2026-11-20T10:00:00.000Z
     */
    updatedAt: string;
    /** @description Only in the response to a visible change: the notifications that holders see. Google allows three notifications of a pass in 24 hours. */
    notifications?: Notifications;
    /**
     * @description The font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description The background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description The colour of labels. Default: the foreground colour. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; it need not be square. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide image, also used in link previews. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description The background of the web view. Default: the background colour. Web only. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description The title shown on the pass.
     * @example 20% off your next visit
     */
    title: string;
    /**
     * @description The name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Removes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The format of the barcode that shows the code of each pass; an extension of this service. Default: `qr`. `code128` holds up to 40 ASCII characters, `code39` up to 28 digits, capital letters, spaces and - . $ / + %, `codabar` up to 36 digits and - $ : / . +, optionally between two letters A to D, `ean13` 13 digits, `itf` an even number of digits up to 40. The last digit of an EAN-13 and of an ITF with 14 digits must be its check digit. Wallets that cannot draw the format show a QR code.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128" | "code39" | "codabar" | "ean13" | "itf";
    /** @description The places where the passes appear on the lock screen. A pass’s own locations are appended. */
    locations?: Location[];
    /** @description The fields on the front. A pass can override fields by key. */
    fields?: Field[];
    /** @description The fields on the back. A pass can override fields by key. */
    backFields?: BackField[];
    /**
     * @description The BCP 47 tag of the language of the template’s own texts; an extension of this service. Default: the language of the installation, normally `en`.
     * @example en
     */
    language?: string;
    /**
     * @description The texts in other languages, by BCP 47 tag and key; an extension of this service. Keys are `title`, `issuerName`, `primaryLabel`, `fields.<key>.label`, `.value` and `.changeMessage`, `backFields.<key>.label` and `.value`; `name`, `address` and `relevantText` of `location` and of `locations.<index>`; `actions.<index>.url`; and the addresses of images: `images.logo`, `banner`, `background`, `thumbnail` and `artwork`, at most 20 images in total. Wallets, pages and previews show each holder the texts of their language. At most 40 languages and 100000 bytes.
     * @example {
     *       "de": {
     *         "title": "20 % auf den nächsten Besuch"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /** @description Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons. A pass can have its own actions instead. */
    actions?: Action[];
    /**
     * @description The type of template. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "event";
    /**
     * @description When the event starts: a date-time with a zone, or a date alone for an event without a time of day. Shown in the time zone of the event’s `location`, or of its `locations` if they share one.
     * @example 2027-06-21T18:00:00.000Z
     */
    startDate: string;
    /**
     * Format: date-time
     * @description When the event ends, later than `startDate`; an extension of this service. Phones suggest the pass until then.
     * @example 2027-06-21T21:00:00.000Z
     */
    endDate?: string;
    /**
     * Format: date-time
     * @description When the doors of the event open, not later than `startDate`; an extension of this service.
     * @example 2027-06-21T17:00:00.000Z
     */
    doorsOpen?: string;
    /** @description Where the event takes place. */
    location?: Location;
}
export interface GenericTemplate {
    /**
     * @description Unique within the account.
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
     * @description The time of the creation.
     * @example 2026-11-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time of the last change.
     * @example 2026-11-20T10:00:00.000Z
     */
    updatedAt: string;
    /** @description Only in the response to a visible change: the notifications that holders see. Google allows three notifications of a pass in 24 hours. */
    notifications?: Notifications;
    /**
     * @description The font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description The background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description The colour of labels. Default: the foreground colour. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; it need not be square. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide image, also used in link previews. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description The background of the web view. Default: the background colour. Web only. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description The title shown on the pass.
     * @example 20% off your next visit
     */
    title: string;
    /**
     * @description The name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Removes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The format of the barcode that shows the code of each pass; an extension of this service. Default: `qr`. `code128` holds up to 40 ASCII characters, `code39` up to 28 digits, capital letters, spaces and - . $ / + %, `codabar` up to 36 digits and - $ : / . +, optionally between two letters A to D, `ean13` 13 digits, `itf` an even number of digits up to 40. The last digit of an EAN-13 and of an ITF with 14 digits must be its check digit. Wallets that cannot draw the format show a QR code.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128" | "code39" | "codabar" | "ean13" | "itf";
    /** @description The places where the passes appear on the lock screen. A pass’s own locations are appended. */
    locations?: Location[];
    /** @description The fields on the front. A pass can override fields by key. */
    fields?: Field[];
    /** @description The fields on the back. A pass can override fields by key. */
    backFields?: BackField[];
    /**
     * @description The BCP 47 tag of the language of the template’s own texts; an extension of this service. Default: the language of the installation, normally `en`.
     * @example en
     */
    language?: string;
    /**
     * @description The texts in other languages, by BCP 47 tag and key; an extension of this service. Keys are `title`, `issuerName`, `primaryLabel`, `fields.<key>.label`, `.value` and `.changeMessage`, `backFields.<key>.label` and `.value`; `name`, `address` and `relevantText` of `location` and of `locations.<index>`; `actions.<index>.url`; and the addresses of images: `images.logo`, `banner`, `background`, `thumbnail` and `artwork`, at most 20 images in total. Wallets, pages and previews show each holder the texts of their language. At most 40 languages and 100000 bytes.
     * @example {
     *       "de": {
     *         "title": "20 % auf den nächsten Besuch"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /** @description Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons. A pass can have its own actions instead. */
    actions?: Action[];
    /**
     * @description The portrait image of the pass as a poster, 358 × 448 points; an extension of this service. On iOS 27 and later, Apple Wallet shows the texts on it; older systems show the classic style. The web view shows it in place of the banner. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/artwork.png
     */
    artwork?: string;
    /**
     * @description The type of template. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "generic";
    /**
     * @description The label of each pass’s primary value.
     * @example Balance
     */
    primaryLabel: string;
    /**
     * @description An image next to the primary value, in place of a banner. Wallet A only. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/thumbnail.png
     */
    thumbnail: string;
}
export interface MembershipTemplate {
    /**
     * @description Unique within the account.
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
     * @description The time of the creation.
     * @example 2026-11-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time of the last change.
     * @example 2026-11-20T10:00:00.000Z
     */
    updatedAt: string;
    /** @description Only in the response to a visible change: the notifications that holders see. Google allows three notifications of a pass in 24 hours. */
    notifications?: Notifications;
    /**
     * @description The font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description The background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description The colour of labels. Default: the foreground colour. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; it need not be square. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide image, also used in link previews. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description The background of the web view. Default: the background colour. Web only. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description The title shown on the pass.
     * @example 20% off your next visit
     */
    title: string;
    /**
     * @description The name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Removes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The format of the barcode that shows the code of each pass; an extension of this service. Default: `qr`. `code128` holds up to 40 ASCII characters, `code39` up to 28 digits, capital letters, spaces and - . $ / + %, `codabar` up to 36 digits and - $ : / . +, optionally between two letters A to D, `ean13` 13 digits, `itf` an even number of digits up to 40. The last digit of an EAN-13 and of an ITF with 14 digits must be its check digit. Wallets that cannot draw the format show a QR code.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128" | "code39" | "codabar" | "ean13" | "itf";
    /** @description The places where the passes appear on the lock screen. A pass’s own locations are appended. */
    locations?: Location[];
    /** @description The fields on the front. A pass can override fields by key. */
    fields?: Field[];
    /** @description The fields on the back. A pass can override fields by key. */
    backFields?: BackField[];
    /**
     * @description The BCP 47 tag of the language of the template’s own texts; an extension of this service. Default: the language of the installation, normally `en`.
     * @example en
     */
    language?: string;
    /**
     * @description The texts in other languages, by BCP 47 tag and key; an extension of this service. Keys are `title`, `issuerName`, `primaryLabel`, `fields.<key>.label`, `.value` and `.changeMessage`, `backFields.<key>.label` and `.value`; `name`, `address` and `relevantText` of `location` and of `locations.<index>`; `actions.<index>.url`; and the addresses of images: `images.logo`, `banner`, `background`, `thumbnail` and `artwork`, at most 20 images in total. Wallets, pages and previews show each holder the texts of their language. At most 40 languages and 100000 bytes.
     * @example {
     *       "de": {
     *         "title": "20 % auf den nächsten Besuch"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /** @description Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons. A pass can have its own actions instead. */
    actions?: Action[];
    /**
     * @description The portrait image of the pass as a poster, 358 × 448 points; an extension of this service. On iOS 27 and later, Apple Wallet shows the texts on it; older systems show the classic style. The web view shows it in place of the banner. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/artwork.png
     */
    artwork?: string;
    /**
     * @description The kind of pass. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "membership";
    /**
     * @description The label of each pass’s primary value.
     * @example Member
     */
    primaryLabel: string;
}
export interface OfferTemplateRequest {
    /**
     * @description The font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description The background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description The colour of labels. Default: the foreground colour. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; it need not be square. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide image, also used in link previews. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description The background of the web view. Default: the background colour. Web only. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description The title shown on the pass.
     * @example 20% off your next visit
     */
    title: string;
    /**
     * @description The name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Removes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The format of the barcode that shows the code of each pass; an extension of this service. Default: `qr`. `code128` holds up to 40 ASCII characters, `code39` up to 28 digits, capital letters, spaces and - . $ / + %, `codabar` up to 36 digits and - $ : / . +, optionally between two letters A to D, `ean13` 13 digits, `itf` an even number of digits up to 40. The last digit of an EAN-13 and of an ITF with 14 digits must be its check digit. Wallets that cannot draw the format show a QR code.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128" | "code39" | "codabar" | "ean13" | "itf";
    /** @description The places where the passes appear on the lock screen. A pass’s own locations are appended. */
    locations?: Location[];
    /** @description The fields on the front. A pass can override fields by key. */
    fields?: Field[];
    /** @description The fields on the back. A pass can override fields by key. */
    backFields?: BackField[];
    /**
     * @description The BCP 47 tag of the language of the template’s own texts; an extension of this service. Default: the language of the installation, normally `en`.
     * @example en
     */
    language?: string;
    /**
     * @description The texts in other languages, by BCP 47 tag and key; an extension of this service. Keys are `title`, `issuerName`, `primaryLabel`, `fields.<key>.label`, `.value` and `.changeMessage`, `backFields.<key>.label` and `.value`; `name`, `address` and `relevantText` of `location` and of `locations.<index>`; `actions.<index>.url`; and the addresses of images: `images.logo`, `banner`, `background`, `thumbnail` and `artwork`, at most 20 images in total. Wallets, pages and previews show each holder the texts of their language. At most 40 languages and 100000 bytes.
     * @example {
     *       "de": {
     *         "title": "20 % auf den nächsten Besuch"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /** @description Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons. A pass can have its own actions instead. */
    actions?: Action[];
    /**
     * @description The portrait image of the pass as a poster, 358 × 448 points; an extension of this service. On iOS 27 and later, Apple Wallet shows the texts on it; older systems show the classic style. The web view shows it in place of the banner. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/artwork.png
     */
    artwork?: string;
    /**
     * @description The type of template. Default: `offer`. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "offer";
}
export interface EventTemplateRequest {
    /**
     * @description The font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description The background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description The colour of labels. Default: the foreground colour. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; it need not be square. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide image, also used in link previews. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description The background of the web view. Default: the background colour. Web only. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description The title shown on the pass.
     * @example 20% off your next visit
     */
    title: string;
    /**
     * @description The name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Removes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The format of the barcode that shows the code of each pass; an extension of this service. Default: `qr`. `code128` holds up to 40 ASCII characters, `code39` up to 28 digits, capital letters, spaces and - . $ / + %, `codabar` up to 36 digits and - $ : / . +, optionally between two letters A to D, `ean13` 13 digits, `itf` an even number of digits up to 40. The last digit of an EAN-13 and of an ITF with 14 digits must be its check digit. Wallets that cannot draw the format show a QR code.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128" | "code39" | "codabar" | "ean13" | "itf";
    /** @description The places where the passes appear on the lock screen. A pass’s own locations are appended. */
    locations?: Location[];
    /** @description The fields on the front. A pass can override fields by key. */
    fields?: Field[];
    /** @description The fields on the back. A pass can override fields by key. */
    backFields?: BackField[];
    /**
     * @description The BCP 47 tag of the language of the template’s own texts; an extension of this service. Default: the language of the installation, normally `en`.
     * @example en
     */
    language?: string;
    /**
     * @description The texts in other languages, by BCP 47 tag and key; an extension of this service. Keys are `title`, `issuerName`, `primaryLabel`, `fields.<key>.label`, `.value` and `.changeMessage`, `backFields.<key>.label` and `.value`; `name`, `address` and `relevantText` of `location` and of `locations.<index>`; `actions.<index>.url`; and the addresses of images: `images.logo`, `banner`, `background`, `thumbnail` and `artwork`, at most 20 images in total. Wallets, pages and previews show each holder the texts of their language. At most 40 languages and 100000 bytes.
     * @example {
     *       "de": {
     *         "title": "20 % auf den nächsten Besuch"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /** @description Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons. A pass can have its own actions instead. */
    actions?: Action[];
    /**
     * @description The type of template. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "event";
    /**
     * @description When the event starts: a date-time with a zone, or a date alone for an event without a time of day. Shown in the time zone of the event’s `location`, or of its `locations` if they share one.
     * @example 2027-06-21T18:00:00.000Z
     */
    startDate: string;
    /**
     * Format: date-time
     * @description When the event ends, later than `startDate`; an extension of this service. Phones suggest the pass until then.
     * @example 2027-06-21T21:00:00.000Z
     */
    endDate?: string;
    /**
     * Format: date-time
     * @description When the doors of the event open, not later than `startDate`; an extension of this service.
     * @example 2027-06-21T17:00:00.000Z
     */
    doorsOpen?: string;
    /** @description Where the event takes place. */
    location?: Location;
}
export interface GenericTemplateRequest {
    /**
     * @description The font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description The background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description The colour of labels. Default: the foreground colour. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; it need not be square. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide image, also used in link previews. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description The background of the web view. Default: the background colour. Web only. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description The title shown on the pass.
     * @example 20% off your next visit
     */
    title: string;
    /**
     * @description The name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Removes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The format of the barcode that shows the code of each pass; an extension of this service. Default: `qr`. `code128` holds up to 40 ASCII characters, `code39` up to 28 digits, capital letters, spaces and - . $ / + %, `codabar` up to 36 digits and - $ : / . +, optionally between two letters A to D, `ean13` 13 digits, `itf` an even number of digits up to 40. The last digit of an EAN-13 and of an ITF with 14 digits must be its check digit. Wallets that cannot draw the format show a QR code.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128" | "code39" | "codabar" | "ean13" | "itf";
    /** @description The places where the passes appear on the lock screen. A pass’s own locations are appended. */
    locations?: Location[];
    /** @description The fields on the front. A pass can override fields by key. */
    fields?: Field[];
    /** @description The fields on the back. A pass can override fields by key. */
    backFields?: BackField[];
    /**
     * @description The BCP 47 tag of the language of the template’s own texts; an extension of this service. Default: the language of the installation, normally `en`.
     * @example en
     */
    language?: string;
    /**
     * @description The texts in other languages, by BCP 47 tag and key; an extension of this service. Keys are `title`, `issuerName`, `primaryLabel`, `fields.<key>.label`, `.value` and `.changeMessage`, `backFields.<key>.label` and `.value`; `name`, `address` and `relevantText` of `location` and of `locations.<index>`; `actions.<index>.url`; and the addresses of images: `images.logo`, `banner`, `background`, `thumbnail` and `artwork`, at most 20 images in total. Wallets, pages and previews show each holder the texts of their language. At most 40 languages and 100000 bytes.
     * @example {
     *       "de": {
     *         "title": "20 % auf den nächsten Besuch"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /** @description Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons. A pass can have its own actions instead. */
    actions?: Action[];
    /**
     * @description The portrait image of the pass as a poster, 358 × 448 points; an extension of this service. On iOS 27 and later, Apple Wallet shows the texts on it; older systems show the classic style. The web view shows it in place of the banner. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/artwork.png
     */
    artwork?: string;
    /**
     * @description The type of template. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "generic";
    /**
     * @description The label of each pass’s primary value.
     * @example Balance
     */
    primaryLabel: string;
    /**
     * @description An image next to the primary value, in place of a banner. Wallet A only. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/thumbnail.png
     */
    thumbnail: string;
}
export interface MembershipTemplateRequest {
    /**
     * @description The font colour. Wallet A and web only.
     * @example #ffffff
     */
    foregroundColor: string;
    /**
     * @description The background colour.
     * @example #1f2a6b
     */
    backgroundColor: string;
    /**
     * @description The colour of labels. Default: the foreground colour. Wallet A only.
     * @example #ffd479
     */
    labelColor?: string;
    /**
     * @description The square icon. URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.
     * @example http://localhost:3000/images/samples/icon.png
     */
    icon: string;
    /**
     * @description The icon with text; it need not be square. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/logo.png
     */
    logo: string;
    /**
     * @description The wide image, also used in link previews. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/banner.png
     */
    banner: string;
    /**
     * @description The background of the web view. Default: the background colour. Web only. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/background.png
     */
    background?: string;
    /**
     * @description The title shown on the pass.
     * @example 20% off your next visit
     */
    title: string;
    /**
     * @description The name of the issuer.
     * @example Sundown Coffee
     */
    issuerName: string;
    /**
     * @description Removes the share button from the passes in both wallets.
     * @example false
     */
    sharingProhibited?: boolean;
    /**
     * @description The format of the barcode that shows the code of each pass; an extension of this service. Default: `qr`. `code128` holds up to 40 ASCII characters, `code39` up to 28 digits, capital letters, spaces and - . $ / + %, `codabar` up to 36 digits and - $ : / . +, optionally between two letters A to D, `ean13` 13 digits, `itf` an even number of digits up to 40. The last digit of an EAN-13 and of an ITF with 14 digits must be its check digit. Wallets that cannot draw the format show a QR code.
     * @example qr
     * @enum {string}
     */
    codeFormat?: "qr" | "pdf417" | "aztec" | "code128" | "code39" | "codabar" | "ean13" | "itf";
    /** @description The places where the passes appear on the lock screen. A pass’s own locations are appended. */
    locations?: Location[];
    /** @description The fields on the front. A pass can override fields by key. */
    fields?: Field[];
    /** @description The fields on the back. A pass can override fields by key. */
    backFields?: BackField[];
    /**
     * @description The BCP 47 tag of the language of the template’s own texts; an extension of this service. Default: the language of the installation, normally `en`.
     * @example en
     */
    language?: string;
    /**
     * @description The texts in other languages, by BCP 47 tag and key; an extension of this service. Keys are `title`, `issuerName`, `primaryLabel`, `fields.<key>.label`, `.value` and `.changeMessage`, `backFields.<key>.label` and `.value`; `name`, `address` and `relevantText` of `location` and of `locations.<index>`; `actions.<index>.url`; and the addresses of images: `images.logo`, `banner`, `background`, `thumbnail` and `artwork`, at most 20 images in total. Wallets, pages and previews show each holder the texts of their language. At most 40 languages and 100000 bytes.
     * @example {
     *       "de": {
     *         "title": "20 % auf den nächsten Besuch"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    };
    /** @description Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons. A pass can have its own actions instead. */
    actions?: Action[];
    /**
     * @description The portrait image of the pass as a poster, 358 × 448 points; an extension of this service. On iOS 27 and later, Apple Wallet shows the texts on it; older systems show the classic style. The web view shows it in place of the banner. A URL as for `icon`.
     * @example http://localhost:3000/images/samples/artwork.png
     */
    artwork?: string;
    /**
     * @description The kind of pass. (enum property replaced by openapi-typescript)
     * @enum {string}
     */
    type: "membership";
    /**
     * @description The label of each pass’s primary value.
     * @example Member
     */
    primaryLabel: string;
}
export interface LintPass {
    /**
     * @description Ignored.
     * @example ada
     */
    id?: string | null;
    /**
     * @description The content of the barcode.
     * @example SUMMER-0001
     */
    code?: string | null;
    /**
     * Format: date-time
     * @description The pass is not valid before this time.
     * @example 2026-06-01T00:00:00.000Z
     */
    validFrom?: string | null;
    /**
     * Format: date-time
     * @description The pass is not valid from this time on.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiry?: string | null;
    /**
     * @description The value of the template’s `primaryLabel`.
     * @example Ada Lovelace
     */
    primaryValue?: string | null;
    /**
     * @description URL of an image that replaces the template’s thumbnail.
     * @example http://localhost:3000/images/samples/thumbnail.png
     */
    thumbnail?: string | null;
    /** @description Each field replaces the template’s field with the same `key`; a field with a new key is appended. */
    fields?: Field[] | null;
    /** @description The pass’s own back fields. */
    backFields?: BackField[] | null;
    /** @description Appended to the template’s locations. */
    locations?: Location[] | null;
    /**
     * @description The language of the holder.
     * @example de
     */
    language?: string | null;
    /**
     * @description The pass’s own texts in other languages.
     * @example {
     *       "de": {
     *         "fields.discount.value": "20 % auf alles"
     *       }
     *     }
     */
    translations?: {
        [key: string]: {
            [key: string]: string;
        };
    } | null;
    /** @description The pass’s own actions, in place of the template’s. */
    actions?: Action[] | null;
    /** @description The group of the pass; previews show it with two more passes. */
    group?: {
        /**
         * @description The id of the group, the same for all its passes.
         * @example order-1042
         */
        id: string;
        /**
         * @description The position of the pass in its group; smaller numbers come first. Default: 0.
         * @example 1
         */
        order?: number | null;
    } | null;
    /** @description Other passes of the same holder. Whether they exist is not checked. */
    linkedPasses?: PassReferenceRequest[] | null;
    /**
     * @description Ignored.
     * @example {
     *       "order": "A-1042"
     *     }
     */
    metadata?: {
        [key: string]: unknown;
    } | null;
    /**
     * @description Ignored.
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
export interface LintResponse {
    /** @description The findings of the template lint. */
    findings: LintFinding[];
    /**
     * @description Number of findings that prevent saving.
     * @example 1
     */
    errors: number;
    /**
     * @description Number of warnings.
     * @example 0
     */
    warnings: number;
}
export interface DraftPicture {
    /**
     * @description The wallet that the picture shows.
     * @example walletA
     * @enum {string}
     */
    wallet: "walletA" | "walletB" | "web";
    /**
     * @description The theme of the phone.
     * @example light
     * @enum {string}
     */
    theme: "light" | "dark";
    /**
     * @description The system of the phone, if Apple Wallet shows the pass differently on older systems.
     * @example ios27
     * @enum {string}
     */
    system?: "ios27" | "ios26";
    /**
     * @description The picture: an `<svg>` element that needs no other file.
     * @example <svg>…</svg>
     */
    svg: string;
}
export interface DraftPreviewResponse {
    /** @description The images. */
    pictures: DraftPicture[];
    /** @description The findings of the template lint, errors first. Saving a draft with an `error` is rejected. */
    findings: LintFinding[];
    /** @description The texts that do not fit. */
    cut: PreviewCut[];
}
export interface Reminder {
    /**
     * @description The key of the reminder in `remindersSent`.
     * @example month
     */
    key: string;
    /**
     * @description Calendar days before the expiry, at the time of day of the expiry in the time zone of the settings.
     * @example 30
     */
    daysBefore: number;
}
export interface MembershipSettingsResponse {
    /**
     * @description The id of the template.
     * @example membership
     */
    templateId: string;
    /** @description The reminders, earliest first. */
    reminders: Reminder[];
    /**
     * @description The time zone of reminders and expiries.
     * @example Europe/Berlin
     */
    timeZone: string;
    /**
     * @description The label of the notice on the pass.
     * @example Membership
     */
    noticeLabel: string | null;
    /**
     * Format: date-time
     * @description The time of the creation.
     * @example 2026-05-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time of the last change.
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
    reminders: Reminder[];
    /**
     * @description The IANA time zone for counting days and formatting dates. Default: UTC.
     * @example Europe/Berlin
     */
    timeZone?: string;
    /**
     * @description Label of the front field `membership`, which shows when the membership ends. Null: no such field. Default: Membership.
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
     * @description The time at which the membership and its pass expire. It must be in the future. Default: no end.
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
     * @description Free JSON, which the pass never shows. At most 5000 characters when serialised.
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
    /**
     * @description The id of the account.
     * @example acc_3kTq9ZbXcVn1MlPoIu7Yt2
     */
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
    /**
     * @description The e-mail address.
     * @example ada@example.com
     */
    email: string;
    /**
     * @description The name of the member.
     * @example Ada Lovelace
     */
    name: string;
    /**
     * @description The state of the membership.
     * @example active
     * @enum {string}
     */
    status: "pending" | "active" | "suspended" | "expired" | "cancelled";
    /**
     * @description Free JSON, which the pass never shows.
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
     * @description The time of expiry.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiry?: string;
    /**
     * Format: date-time
     * @description The time of the creation.
     * @example 2026-05-20T10:00:00.000Z
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time of the last change.
     * @example 2026-05-20T10:00:00.000Z
     */
    updatedAt: string;
    /**
     * @description The reminders sent in the current term: key and time of each.
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
export interface MemberPage {
    /** @description The entries of this page. */
    data: MemberResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
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
     * @description The time at which the membership and its pass expire. A time in the past ends the membership immediately; null removes the end. A new expiry starts the reminders again.
     * @example 2030-12-31T23:00:00.000Z
     */
    expiry?: string | null;
    /**
     * @description Merged into the existing data; null removes a property. Free JSON, which the pass never shows. At most 5000 characters when serialised.
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
    /**
     * @description The number of members.
     * @example 1
     */
    members: number;
    /**
     * @description The number of passes.
     * @example 2
     */
    passes: number;
    /**
     * @description The number of mail records.
     * @example 3
     */
    mails: number;
    /**
     * @description The number of devices that hold or held the passes, counted for each pass.
     * @example 1
     */
    devices: number;
    /**
     * @description The number of images that belonged only to the passes.
     * @example 1
     */
    images: number;
}
/**
 * @description The types of events that the webhook gets. Default: all, including future types. For a key without all read scopes: the types that it may read.
 * @enum {string}
 */
export type WebhookEventType = "pass.created" | "pass.changed" | "pass.voided" | "pass.unvoided" | "pass.redeemed" | "pass.expired" | "pass.deleted" | "pass.installed" | "pass.removed" | "template.changed" | "template.archived" | "template.unarchived" | "member.created" | "member.changed" | "member.activated" | "member.suspended" | "member.expired" | "member.renewed" | "member.cancelled" | "member.deleted" | "message.created" | "message.started" | "message.sent" | "message.paused" | "message.resumed" | "message.cancelled" | "message.superseded" | "certificate.expiring" | "certificate.expired";
export interface NewWebhookRequest {
    /**
     * @description The name of the webhook, on one line.
     * @example CRM
     */
    name?: string | null;
    /**
     * @description The address that receives events: https, a public host, no user name. The service follows no redirects. Without an address, you can only fetch the events.
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
    /**
     * @description The id of the webhook.
     * @example whk_3kTq9ZbXcVn1MlPoIu7Yt2
     */
    id: string;
    /**
     * @description The name of the webhook.
     * @example CRM
     */
    name: string | null;
    /**
     * @description The address that receives events. Null if you only fetch the events.
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
    /** @description True if the webhook gets events. */
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
     * @description When the old secret becomes invalid. Null: there is no old secret.
     */
    previousSecretUntil: string | null;
    /**
     * Format: date-time
     * @description The time of the creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The last change of name, url, types, enabled or secret.
     */
    updatedAt: string;
    /**
     * @description The secret that signs deliveries. Shown only in this response.
     * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD6gA5Xn8Nq0Q=
     */
    secret: string;
}
export interface WebhookResponse {
    /**
     * @description The id of the webhook.
     * @example whk_3kTq9ZbXcVn1MlPoIu7Yt2
     */
    id: string;
    /**
     * @description The name of the webhook.
     * @example CRM
     */
    name: string | null;
    /**
     * @description The address that receives events. Null if you only fetch the events.
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
    /** @description True if the webhook gets events. */
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
     * @description When the old secret becomes invalid. Null: there is no old secret.
     */
    previousSecretUntil: string | null;
    /**
     * Format: date-time
     * @description The time of the creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The last change of name, url, types, enabled or secret.
     */
    updatedAt: string;
}
export interface WebhookPage {
    /** @description The entries of this page. */
    data: WebhookResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface WebhookPatch {
    /**
     * @description The name of the webhook, on one line.
     * @example CRM
     */
    name?: string | null;
    /**
     * @description The address that receives events: https, a public host, no user name. The service follows no redirects. Without an address, you can only fetch the events.
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
     * @description How many hours the old secret stays valid. Default 24; 0 ends it immediately.
     * @example 24
     */
    overlapHours?: number;
}
export interface WebhookTestResponse {
    /** @description True if the receiver responded with a status from 200 to 299. */
    delivered: boolean;
    /**
     * @description The status of the receiver's response; null if there was none.
     * @example 204
     */
    statusCode: number | null;
    /**
     * @description How long the request took, in milliseconds.
     * @example 87
     */
    durationMs: number;
    /** @description Why the delivery failed. */
    problem: string | null;
}
export interface WebhookDeliveryResponse {
    /**
     * @description The id of the event, sent as `webhook-id`.
     * @example evt_019aa0c1f4005c7e8f0a1b2c3d4e5f60
     */
    eventId: string;
    /**
     * @description The type of the event. Null: the event is no longer stored.
     * @example pass.created
     */
    type: string | null;
    /**
     * Format: date-time
     * @description The time of the event.
     */
    timestamp: string;
    /**
     * @description `pending`: a further attempt follows.
     * @example delivered
     * @enum {string}
     */
    status: "pending" | "delivered" | "failed";
    /**
     * @description Attempts since the event was recorded or last replayed.
     * @example 1
     */
    attempts: number;
    /**
     * Format: date-time
     * @description When the next attempt is made.
     */
    nextAttemptAt: string | null;
    /**
     * Format: date-time
     * @description The time of the last attempt.
     */
    lastAttemptAt: string | null;
    /**
     * @description The status of the last response; null if there was none.
     * @example 204
     */
    statusCode: number | null;
    /** @description Why the last attempt failed. */
    problem: string | null;
}
export interface WebhookDeliveryPage {
    /** @description The entries of this page. */
    data: WebhookDeliveryResponse[];
    /** @description Pass it as `cursor` to get the next page; null on the last page. */
    nextCursor: string | null;
}
export interface WebhookReplayRequest {
    /**
     * Format: date-time
     * @description Only events at or after this time.
     * @example 2026-11-20T10:00:00.000Z
     */
    since: string;
    /**
     * Format: date-time
     * @description Only events before this time. Default: now.
     * @example 2026-11-21T10:00:00.000Z
     */
    until?: string;
    /**
     * @description Which events to replay: `failed`, `delivered` or `missed`. `missed` are events of the webhook’s types that were never sent to it. Default: failed.
     * @example failed
     * @enum {string}
     */
    status?: "failed" | "delivered" | "missed";
}
export interface WebhookReplayResponse {
    /**
     * @description The number of events.
     * @example 12
     */
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
    /** @description The cursor to continue from, now or later; always present. Store it after you have processed the events. */
    cursor: string;
}
export type TemplateRequest = OfferTemplateRequest | EventTemplateRequest | GenericTemplateRequest | MembershipTemplateRequest;
export type Template = OfferTemplate | EventTemplate | GenericTemplate | MembershipTemplate;
export interface TemplatePage {
    /** @description The entries of this page. */
    data: Template[];
    /** @description Pass it as `cursor` for the next page; null on the last page. */
    nextCursor: string | null;
}
export interface AccountExport {
    /**
     * Format: date-time
     * @description The time of the export.
     */
    exportedAt: string;
    /** @description The account and its users. */
    account: {
        [key: string]: unknown;
    };
    /** @description Lists of rows by table. */
    tables: {
        [key: string]: unknown;
    };
}
export interface HolderExport {
    /**
     * Format: date-time
     * @description The time of the export.
     */
    exportedAt: string;
    /** @description The holder, as named in the request. */
    holder: {
        [key: string]: unknown;
    };
    /** @description The member, if the holder is one. */
    members: {
        [key: string]: unknown;
    }[];
    /** @description The passes, each with its devices and the mails to the holder. */
    passes: {
        [key: string]: unknown;
    }[];
}
export interface Operations {
    /** @description Accept an invitation. An existing user sends an access token and no body; their e-mail must be the invited one. A new user sends `name` and `password`. The response is a session in the account. An invitation works once. A future admin needs the code from the e-mail; any other code gets 403. */
    acceptInvite: {
        request: {
            /** @description The code from the e-mail. */
            code: string;
            body?: InviteAcceptance;
        };
        response: TokensResponse;
    };
    /** @description Activate a member. Activates a pending or suspended member. The pass becomes valid; if it was deleted, a new one is issued. Reminders whose time has passed are not sent. */
    activateMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: MemberResponse;
    };
    /** @description Archive a template. Voids all passes of the template, and blocks new ones until it is un-archived. An archived template stays unchanged. */
    archiveTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: Template;
    };
    /** @description Cancel a membership. Cancels a membership of any status. The pass becomes void. This cannot be undone. */
    cancelMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: MemberResponse;
    };
    /** @description Cancel a message. Ends the message for good. Passes that have the message keep it. 409 for a message that has ended in another way. */
    cancelMessage: {
        request: {
            /** @description The id of the message. */
            messageId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: MessageResponse;
    };
    /** @description Change your e-mail. E-mails a link to the new address, which confirms the change within a day. If another user has the address, the response is the same, and that user gets a notice. 403 for a wrong password. */
    changeEmail: {
        request: {
            body: ChangeEmailRequest;
        };
    };
    /** @description Change your password. Ends the other sessions of the user in every account and keeps the current session. 403 for a wrong password. */
    changePassword: {
        request: {
            body: ChangePasswordRequest;
        };
    };
    /** @description Confirm an agent plan. Allows the agent to execute the plan once, if the target of the plan does not change before. */
    confirmAgentPlan: {
        request: {
            /** @description The id of the plan. */
            planId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: AgentPlanResponse;
    };
    /** @description Confirm a new e-mail. Takes the code from the link in the e-mail, which works once. Notifies the former address. */
    confirmEmail: {
        request: {
            body: ConfirmEmailRequest;
        };
    };
    /** @description Create another account. The user becomes the admin of the new account. The response is a new session in it; the current session stays open. 403 if the operator has closed registration, and for a user who is in 100 accounts. */
    createAccount: {
        request: {
            body: NewAccountRequest;
        };
        response: TokensResponse;
    };
    /** @description Create an API key. The response shows the whole `key` once; only its hash is stored. Callers cannot grant scopes that they lack. An API key cannot create one that lasts longer or has fewer limits. */
    createApiKey: {
        request: {
            body: NewApiKeyRequest;
        };
        response: ApiKeyWithSecretResponse;
    };
    /** @description Create a member. Creates a member and its pass. The pass is valid while the member is active, and void otherwise. */
    createMember: {
        request: {
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: NewMemberRequest;
        };
        response: MemberResponse;
    };
    /** @description Issue a pass. The template must not be archived. If you choose the `id`, choose one that cannot be guessed: it protects the public links. */
    createPass: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: PassRequest;
        };
        response: PassWithLinks;
    };
    /** @description Message a pass's holder. Shows a message on the pass and notifies its holder. A pass shows its last 10 messages. In Apple Wallet, the first message of a pass arrives after two minutes. A void, redeemed or expired pass gets no message; `progress.skipped` says why. Send an `Idempotency-Key` so that you can repeat a call whose response was lost. */
    createPassMessage: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: PassMessageRequest;
        };
        response: MessageResponse;
    };
    /** @description Message the holders of passes. Sends a message to the passes of the template that match the filter at the time of sending. Each pass gets it at most once. `GET /v1/messages/{messageId}` shows the progress. Plan a message ten minutes ahead so that all phones can show it on the lock screen. Send an `Idempotency-Key` so that you can repeat a call whose response was lost. */
    createTemplateMessage: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: TemplateMessageRequest;
        };
        response: MessageResponse;
    };
    /** @description Create a webhook. Creates a webhook for future events. The service posts them to `url`, signed according to Standard Webhooks. Without a `url`, list them with `GET …/events`. An account may have 20 webhooks. The caller needs the read scopes for its event types: `passes:read`, `templates:read`, `members:read`. The response shows the `secret` once. */
    createWebhook: {
        request: {
            body: NewWebhookRequest;
        };
        response: WebhookWithSecretResponse;
    };
    /** @description Delete the account. For admins, confirmed by their password. The account is deleted at `deletesAt`, by default seven days later. Until then, any admin can cancel the deletion or export the account; API keys and changes get 403. All admins get an e-mail. After that, passes on phones become empty and void, and all data is erased, including users who are in no other account. docs/privacy.md lists how long some data is kept. */
    deleteAccount: {
        request: {
            body: DeleteAccountRequest;
        };
        response: AccountDeletionResponse;
    };
    /** @description Remove the Apple Wallet certificate. Removes the account's certificate and its key. The operator's certificate signs the passes again. Rejected with 409 while devices are registered under the certificate. */
    deleteAppleCertificate: {
        request: {
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Remove the Google Wallet issuer. Removes the account's issuer and its service account. New save links use the operator's issuer again. Passes under the removed issuer stay with their holders, but update only if you set the issuer again. */
    deleteGoogleServiceAccount: {
        request: {
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Delete a member. Deletes a member and its pass. Phones that hold the pass receive a void version. The id is never reused. */
    deleteMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Delete a pass. Deletes the pass with its content. From then on its web view returns 410, and its links to the wallets return 404. Void a pass instead to keep its history. A member’s pass is deleted with the member. */
    deletePass: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Delete a template. Deletes a template that has no passes. Archive any other template instead. */
    deleteTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Delete a webhook. Deletes a webhook and stops its pending deliveries. */
    deleteWebhook: {
        request: {
            /** @description The id of the webhook. */
            webhookId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Forecast a message. Counts the passes that the message would reach, by wallet, and the passes that it would skip, by reason. Sends nothing. Reads every pass of the template. */
    dryRunTemplateMessage: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: TemplateMessageRequest;
        };
        response: MessageForecast;
    };
    /** @description Erase all data of a holder. Deletes everything that `export` shows. Phones that hold one of the passes, and Google Wallet, receive an empty void pass. This cannot be undone. You may repeat the call. docs/privacy.md lists what is kept, and how long. An API key needs `passes:write` and `members:write` in addition to `account:write`. */
    eraseHolder: {
        request: {
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: HolderRequest;
        };
        response: ErasedResponse;
    };
    /** @description Export the account. Streams all stored data of the account, without secrets, as one JSON object: rows grouped by table. Images appear as URLs. The stream stops if the credential is revoked. An API key needs all read scopes in addition to `account:write`. */
    exportAccount: {
        response: AccountExport;
    };
    /** @description Export all data of a holder. Exports everything stored about the holder of an e-mail address or a pass: the member, the passes with their content and `metadata`, the mails, and the devices. Empty lists mean that nothing is stored. The stream breaks off when the credential is revoked. An API key needs `passes:read` and `members:read` in addition to `account:write`. */
    exportHolder: {
        request: {
            body: HolderRequest;
        };
        response: HolderExport;
    };
    /** @description Request a password reset. E-mails a link to set a new password. The link works once, within an hour. The response is the same if no user has this e-mail. After ten requests in an hour, the mail may take five minutes. */
    forgotPassword: {
        request: {
            body: ForgotPasswordRequest;
        };
    };
    /** @description Read the account. The active account with its users, usage, plan and limits. */
    getAccount: {
        response: AccountResponse;
    };
    /** @description Read an agent plan. The plan includes the values that it changes, if the user may read the pass or template. */
    getAgentPlan: {
        request: {
            /** @description The id of the plan. */
            planId: string;
        };
        response: AgentPlanDetails;
    };
    /** @description Read the Apple Wallet certificate. Returns the certificate that signs the account's passes, the state of pushes, and the pending certificate signing request. */
    getAppleCertificate: {
        response: AppleCertificateResponse;
    };
    /** @description Show a template's Google sync. Changes of a template are sent to Google within its quota: about 1,000 passes a minute. The response counts the waiting and rejected passes, and says why Google rejected them. */
    getGoogleProgress: {
        request: {
            /** @description The id of the template. */
            templateId: string;
        };
        response: GoogleProgressResponse;
    };
    /** @description Read the Google Wallet issuer. Returns the Google issuer of the account's passes, its service account, and whether Google accepts its writes. */
    getGoogleServiceAccount: {
        response: GoogleServiceAccountResponse;
    };
    /** @description Show an invitation. Returns the account, the inviter, the expiry, and whether the invited person is already a user. */
    getInvite: {
        request: {
            /** @description The code from the e-mail. */
            code: string;
        };
        response: InvitationResponse;
    };
    /** @description Check that the process is alive. Reads nothing, so it responds as long as the process serves requests. */
    getLiveness: {
        response: Health;
    };
    /** @description Read your own user. Returns the user of the access token and the accounts of the user. */
    getMe: {
        response: ProfileResponse;
    };
    /** @description Read a member. From its expiry on, the status of a member is `expired`. */
    getMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
        };
        response: MemberResponse;
    };
    /** @description Read the membership settings. An account without membership settings gets 404. */
    getMembershipSettings: {
        response: MembershipSettingsResponse;
    };
    /** @description Read a message and its progress. The progress counts the passes that got the message, and the skipped passes by reason. */
    getMessage: {
        request: {
            /** @description The id of the message. */
            messageId: string;
        };
        response: MessageResponse;
    };
    /** @description Read the message settings. Messages that are not urgent wait until the quiet hours are over. */
    getMessageSettings: {
        response: MessageSettingsResponse;
    };
    /** @description Read a pass. Send the `ETag` as `If-Match` with a change. */
    getPass: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
        };
        response: PassWithLinks;
    };
    /** @description Show a pass's delivery trace. Shows what each device in Apple Wallet did after the last change of the pass, with a verdict and the next step. Includes former devices of the last 90 days. A device that did not fetch the pass is pushed again automatically. `walletB` is the state at Google Wallet. */
    getPassDelivery: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: DeliveryResponse;
    };
    /** @description Check that the node is ready. Checks that the node can use the database and the image storage, that it can decrypt user data, and that its clock is right. A 503 names the problem, or says that the node is stopping. A result is reused for at least a second. */
    getReadiness: {
        response: Health;
    };
    /** @description Read a template. Send the `ETag` as `If-Match` with a change. */
    getTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
        };
        response: Template;
    };
    /** @description Read a webhook. Returns a webhook and its state: when it began to fail, the number of pending deliveries, and why the service disabled it. */
    getWebhook: {
        request: {
            /** @description The id of the webhook. */
            webhookId: string;
        };
        response: WebhookResponse;
    };
    /** @description Invite a user. Sends an e-mail with a link that works once, only for this address, and for 7 days or until the API key that sent it expires. A new invitation of the same address replaces the open one, and the old link stops working. The invited person need not be a user yet. An API key with an expiry, tools or supervision cannot invite an admin. */
    inviteUser: {
        request: {
            body: InviteRequest;
        };
        response: InviteResponse;
    };
    /** @description Cancel the deletion. For admins. API keys and changes work again immediately. */
    keepAccount: {
        request: {
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Lint a template and a pass. Finds duplicate keys, truncated texts, unreadable colours, images that are too small, codes that no barcode can hold, and more. Without a body it checks the stored template. With `template` it checks that draft; a mistake that prevents saving is a finding with severity `error`. Saves nothing. Measures only images that the service already stores. */
    lintTemplate: {
        request: {
            /** @description The id of a stored template, or any id for a draft. */
            templateId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body?: LintRequest;
        };
        response: LintResponse;
    };
    /** @description List the audit trail. Lists the events newest first. Only for admins and for keys with `account:write`. Events cannot be changed or deleted. docs/audit-trail.md lists the recorded actions. Without the read scope for passes, templates or members, `target.id`, `before` and `after` of their events are null. */
    listAccountEvents: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
            /** @description Only events with this action. */
            action?: string;
            /** @description Only events of this actor: the id of a user or an API key, or `system` for the service itself. */
            actor?: string;
            /** @description Only events about one kind of target, such as `template`, or about one target, such as `template:summer`. */
            target?: string;
            /**
             * Format: date-time
             * @description Only events at or after this time.
             */
            since?: string;
            /**
             * Format: date-time
             * @description Only events before this time.
             */
            until?: string;
        };
        response: AuditEventPage;
    };
    /** @description List agent plans. Lists the plans that agents have not executed yet, newest first. */
    listAgentPlans: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: AgentPlanPage;
    };
    /** @description List API keys. Lists the API keys newest first, without secrets. */
    listApiKeys: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: ApiKeyPage;
    };
    /** @description List invitations. Lists the open invitations, newest first. */
    listInvites: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: InvitePage;
    };
    /** @description List members. Lists members page by page, newest first. With `expiresBefore` or `expiresAfter` the list is ordered by expiry. Several filters apply together. */
    listMembers: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
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
            /** @description Only members whose name or e-mail address has words that begin with these words, in upper or lower case. */
            q?: string;
        };
        response: MemberPage;
    };
    /** @description List the recipients of a message. Lists the passes that got the message. Deleted passes are not listed. */
    listMessageRecipients: {
        request: {
            /** @description The id of the message. */
            messageId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: MessageRecipientPage;
    };
    /** @description List messages. Lists messages newest first, page by page, with their progress. Messages to one pass are deleted with the pass. */
    listMessages: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
            /** @description Only messages to passes of this template. */
            templateId?: string;
            /**
             * @description Only messages in this status.
             * @enum {string}
             */
            status?: "scheduled" | "sending" | "paused" | "sent" | "cancelled" | "superseded";
        };
        response: MessagePage;
    };
    /** @description List the e-mails about a pass. Lists the e-mails newest first, page by page, with their status. They are deleted with the pass. */
    listPassMails: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: PassMailPage;
    };
    /** @description List the messages of a pass. Lists the messages of the pass, newest first. Wallets show the last 10. */
    listPassMessages: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: PassMessagePage;
    };
    /** @description List a template's passes. Lists passes newest first, page by page. `updatedSince` sorts by the last change, and `expiresBefore` by the expiry. Several filters are combined with AND. */
    listPasses: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
            /** @description True: only void passes. False: only passes that are not void. */
            voided?: boolean;
            /** @description Only the pass with this code. */
            code?: string;
            /**
             * Format: date-time
             * @description Only passes that expire before this time, earliest first.
             */
            expiresBefore?: string;
            /**
             * Format: date-time
             * @description Only passes changed at or after this time, earliest change first.
             */
            updatedSince?: string;
        };
        response: ListedPassPage;
    };
    /** @description List your sessions. Lists the sessions of the user in every account, newest first. */
    listSessions: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: SessionPage;
    };
    /** @description List templates. Lists templates page by page, newest first. */
    listTemplates: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
            /**
             * @description Only templates of this type.
             * @enum {string}
             */
            type?: "offer" | "event" | "generic" | "membership";
            /**
             * @description Only archived templates, or only those that are not archived.
             * @enum {string}
             */
            archived?: "true" | "false";
            /** @description Only templates whose id or title contains this text, in any case. */
            q?: string;
        };
        response: TemplatePage;
    };
    /** @description List the usage by month. Lists for each calendar month (UTC) how many passes were created and how many were active, current month first. The `usage` of the account counts by billing period instead. */
    listUsage: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: UsageMonthPage;
    };
    /** @description List the usage by day. Lists for each day (UTC) how many passes were created, redeemed and added to wallets, current day first. Events shortly before midnight may count towards the next day. */
    listUsageDays: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: UsageDayPage;
    };
    /** @description List a webhook's deliveries. Lists sent and pending deliveries, newest first, with the result of the last attempt. */
    listWebhookDeliveries: {
        request: {
            /** @description The id of the webhook. */
            webhookId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
            /**
             * @description Only deliveries with this status.
             * @enum {string}
             */
            status?: "pending" | "delivered" | "failed";
        };
        response: WebhookDeliveryPage;
    };
    /** @description List a webhook's events. Lists the events of a webhook, oldest first, for receivers that cannot be called. The list has no end: store `cursor` and continue from it. With `wait`, the request stays open until an event happens. Events are kept for 30 days. The caller needs the read scopes for the webhook's event types (`passes:read`, `templates:read`, `members:read`). After a restore of the database, some events may appear again with the same `id`. */
    listWebhookEvents: {
        request: {
            /** @description The id of the webhook. */
            webhookId: string;
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
            /** @description How many seconds to wait for an event if there is none. */
            wait?: number;
            /**
             * @description Where to start without a `cursor`: at the `oldest` stored event, or with events from `now` on. Default: oldest.
             * @enum {string}
             */
            from?: "oldest" | "now";
        };
        response: WebhookEventsResponse;
    };
    /** @description List webhooks. Lists webhooks, newest first, without their secrets. */
    listWebhooks: {
        request: {
            /** @description Items per page, 1 to 100. */
            limit?: number;
            /** @description The `nextCursor` of the previous page. */
            cursor?: string;
        };
        response: WebhookPage;
    };
    /** @description Log in. An unknown e-mail, a wrong password and an account that the user is not in get the same response. Failed logins are limited per IP address and per e-mail. */
    login: {
        request: {
            body: LoginRequest;
        };
        response: TokensResponse;
    };
    /** @description Log out. Ends the session and its access tokens immediately. The response is the same if the session had already ended. */
    logout: {
        request: {
            body: RefreshTokenRequest;
        };
    };
    /** @description Pause a message. Stops the message after at most 500 more passes. 409 for a message that has ended. */
    pauseMessage: {
        request: {
            /** @description The id of the message. */
            messageId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: MessageResponse;
    };
    /** @description Preview a draft. Draws a template or a pass before it is saved: one picture for each wallet and theme, with the findings of the template lint and the texts that do not fit. Without `template`, it draws the stored template. Without `pass`, it draws a sample pass. Properties with mistakes are left out. Saves nothing. Shows only images that the service already stores. */
    previewDraft: {
        request: {
            /** @description The id of a stored template, or any id for a draft. */
            templateId: string;
            /**
             * @description The theme of the phone. Default: both.
             * @enum {string}
             */
            theme?: "light" | "dark";
            /**
             * @description The iOS version in the pictures of `walletA`. iOS 26 and earlier (`ios26`) show QR codes for newer barcodes, and no artwork or actions. Default: `ios27`.
             * @enum {string}
             */
            system?: "ios27" | "ios26";
            /** @description The language of the pass and of dates. Default: the language of the template, with English dates. */
            lang?: string;
            body?: LintRequest;
        };
        response: DraftPreviewResponse;
    };
    /** @description Preview a pass in each wallet. Draws the pass as wallets show it: as an image (`png`, `svg`) or as a page with all images and the findings of the template lint (`html`). `json` lists the images, the findings and the texts that do not fit. */
    previewPass: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /**
             * @description The wallet that the image shows. Default: `walletA`. `json` and `html` show all of them.
             * @enum {string}
             */
            wallet?: "walletA" | "walletB" | "web";
            /**
             * @description The theme of the phone in the image. Default: `light`.
             * @enum {string}
             */
            theme?: "light" | "dark";
            /**
             * @description The iOS version in the image of `walletA`. iOS 26 and earlier (`ios26`) show QR codes for newer barcodes, and no artwork or actions. Default: `ios27`.
             * @enum {string}
             */
            system?: "ios27" | "ios26";
            /**
             * @description The format of the response. Default: by the `Accept` header.
             * @enum {string}
             */
            format?: "json" | "html" | "png" | "svg";
            /**
             * @description For a `png`: pixels per point. The image is 415 points wide. Default: 2.
             * @enum {string}
             */
            scale?: "1" | "2" | "3";
            /** @description The language of the pass and of dates. Default: the language of the template, with English dates. */
            lang?: string;
        };
        response: PreviewResponse | string | Uint8Array;
    };
    /** @description Preview passes of a template. Draws a sample pass as wallets show it: as an image (`png`, `svg`) or as a page with all images and the findings of the template lint (`html`). `json` lists the images, the findings and the texts that do not fit. Issues no pass. A `png` needs fonts on the server for scripts other than Latin, Greek and Cyrillic. */
    previewTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /**
             * @description The wallet that the image shows. Default: `walletA`. `json` and `html` show all of them.
             * @enum {string}
             */
            wallet?: "walletA" | "walletB" | "web";
            /**
             * @description The theme of the phone in the image. Default: `light`.
             * @enum {string}
             */
            theme?: "light" | "dark";
            /**
             * @description The iOS version in the image of `walletA`. iOS 26 and earlier (`ios26`) show QR codes for newer barcodes, and no artwork or actions. Default: `ios27`.
             * @enum {string}
             */
            system?: "ios27" | "ios26";
            /**
             * @description The format of the response. Default: by the `Accept` header.
             * @enum {string}
             */
            format?: "json" | "html" | "png" | "svg";
            /**
             * @description For a `png`: pixels per point. The image is 415 points wide. Default: 2.
             * @enum {string}
             */
            scale?: "1" | "2" | "3";
            /** @description The language of the pass and of dates. Default: the language of the template, with English dates. */
            lang?: string;
        };
        response: PreviewResponse | string | Uint8Array;
    };
    /** @description Set the membership settings. Replaces all settings; omitted properties get their defaults. A new template applies only to the passes of new members. Other changes update existing members in the background. Past reminders are not sent. */
    putMembershipSettings: {
        request: {
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: MembershipSettingsRequest;
        };
        response: MembershipSettingsResponse;
    };
    /** @description Set the message settings. Replaces all settings; omitted properties get their defaults. New quiet hours also apply to planned messages and to a message that is being sent. */
    putMessageSettings: {
        request: {
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: MessageSettingsRequest;
        };
        response: MessageSettingsResponse;
    };
    /** @description Redeem a pass. Only one call returns 200, even if several arrive at once; all others return 409. 409 also for a pass that is void, expired or not valid yet. Send an `Idempotency-Key` so that you can repeat a call whose response was lost. */
    redeemPass: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: PassWithLinks;
    };
    /** @description Exchange a sign-in code for tokens. Takes the code from the fragment of `returnTo`. It works once, within a minute. */
    redeemSignInCode: {
        request: {
            body: SignInCodeRequest;
        };
        response: TokensResponse;
    };
    /** @description Refresh the tokens. A refresh token works once. Using it again ends the session for everyone who holds one of its tokens, so do not send concurrent refresh requests. */
    refreshTokens: {
        request: {
            body: RefreshTokenRequest;
        };
        response: TokensResponse;
    };
    /** @description Register a user. Creates the user and a new account, with the user as its admin. 403 if the operator has closed registration. */
    register: {
        request: {
            body: RegisterRequest;
        };
        response: TokensResponse;
    };
    /** @description Reject an agent plan. Also works for a confirmed plan that was not executed yet. */
    rejectAgentPlan: {
        request: {
            /** @description The id of the plan. */
            planId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Remove a user from the account. Admins can remove any user; other users can only remove themselves. The sessions of the user in the account end immediately. API keys belong to the account and keep working: revoke those that the user knows. The last admin cannot be removed. */
    removeAccountMember: {
        request: {
            /** @description The id of the user. */
            uid: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Renew a membership. Renews an active or expired membership. The member is active, and the pass valid, until the new expiry. All reminders are sent again for the new term. */
    renewMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: RenewalRequest;
        };
        response: MemberResponse;
    };
    /** @description Replay many events. Replays the failed, delivered or missed events of a period, at most 100,000. Skips pending deliveries. */
    replayWebhookDeliveries: {
        request: {
            /** @description The id of the webhook. */
            webhookId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: WebhookReplayRequest;
        };
        response: WebhookReplayResponse;
    };
    /** @description Replay an event. Sends the event immediately and restarts its retry schedule: same id, same body, new signature. Also works for an event that was never sent to the webhook. */
    replayWebhookDelivery: {
        request: {
            /** @description The id of the webhook. */
            webhookId: string;
            /** @description The id of the event. */
            eventId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Create a certificate signing request. Creates a private key and its certificate signing request, which replaces an earlier one. Upload the request in Apple's developer portal under your Pass Type ID. Then `PUT` the `.cer` from Apple as `certificate`. The key never leaves the service. */
    requestAppleCertificate: {
        request: {
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: AppleCertificateRequestResponse;
    };
    /** @description Set a new password. Takes the code from the link in the e-mail, which works once. Ends all sessions of the user, in every account. */
    resetPassword: {
        request: {
            body: ResetPasswordRequest;
        };
    };
    /** @description Resume a message. Continues the message where it was paused, so that no pass gets it twice. 409 for a message that has ended. */
    resumeMessage: {
        request: {
            /** @description The id of the message. */
            messageId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: MessageResponse;
    };
    /** @description Revoke an API key. The key stops working immediately, on every node. Open invitations that it sent are revoked. */
    revokeApiKey: {
        request: {
            /** @description The id of the API key. */
            keyId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Withdraw an invitation. Takes the code or the `ref` of the invitation. Its link stops working. */
    revokeInvite: {
        request: {
            /** @description The code or the `ref`. */
            code: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description End all your other sessions. Ends all sessions of the user in every account except the current one. */
    revokeOtherSessions: {
        request: {
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description End one of your sessions. Ends a session of the user in any account. Its tokens stop working immediately. */
    revokeSession: {
        request: {
            /** @description The id of the session. */
            sessionId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
    };
    /** @description Rotate an API key. Keeps the id, name, scopes and tools. The old secret stops working immediately; the response shows the new `key` once. A caller who lacks one of the key’s scopes cannot rotate it, and neither can a key that expires sooner or has more limits. */
    rotateApiKey: {
        request: {
            /** @description The id of the API key. */
            keyId: string;
        };
        response: ApiKeyWithSecretResponse;
    };
    /** @description Rotate a webhook's secret. Creates a new `secret`, which the response shows once. For `overlapHours` deliveries carry the signatures of both secrets, so that the receiver can switch without a gap. */
    rotateWebhookSecret: {
        request: {
            /** @description The id of the webhook. */
            webhookId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            body: WebhookRotationRequest;
        };
        response: WebhookWithSecretResponse;
    };
    /** @description Upload an Apple Wallet certificate. Sets or renews the Pass Type ID certificate. Send a PKCS#12 file, or a certificate with its key. A certificate alone is enough if its key belongs to the pending request or to the current certificate. Encode files with Windows line ends in base64. Installed passes keep updating. The key is stored encrypted and never shown. 409 for another pass type, because installed passes would never update again. */
    saveAppleCertificate: {
        request: {
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: AppleCertificateUpload;
        };
        response: AppleCertificateResponse;
    };
    /** @description Set the Google Wallet issuer. Sets the issuer id and the key file of a service account, or replaces its key. The service account must be a Developer of the issuer in the Google Pay & Wallet Console; an invitation there takes some minutes to take effect. The service stores the key even if Google rejects it: `check` says what is missing. The key is stored encrypted and never shown. 409 if passes exist at Google under another issuer, unless `replaceIssuer` is true: those passes never update again. */
    saveGoogleServiceAccount: {
        request: {
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: GoogleServiceAccountUpload;
        };
        response: GoogleServiceAccountSaved;
    };
    /** @description Send a pass by e-mail. Sends the holder a mail with a link to the pass’s page and optionally your own message. `GET …/mails` shows whether it was sent. At most 10 mails per pass and 5 per address in an hour; the installation may have a daily limit. 409 for a pass that is void, redeemed or expired. Send an `Idempotency-Key` so that you can repeat a call whose response was lost. */
    sendPass: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: SendPassRequest;
        };
        response: PassMailResponse;
    };
    /** @description Suspend a member. Suspends an active member. The pass is void until the member is activated again. The expiry does not change. */
    suspendMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: MemberResponse;
    };
    /** @description Switch to another account. Opens a new session in another account of the user. The current session stays open. */
    switchAccount: {
        request: {
            body: SwitchRequest;
        };
        response: TokensResponse;
    };
    /** @description Send a test event. Sends a signed `webhook.test` event immediately, even to a disabled webhook, and returns the response that arrived within 15 seconds. The test is neither retried nor listed. At most 100 tests an hour for all accounts of one founder. */
    testWebhook: {
        request: {
            /** @description The id of the webhook. */
            webhookId: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: WebhookTestResponse;
    };
    /** @description Un-archive a template. Makes passes valid again, except those that were voided individually. A template that is not archived stays unchanged. */
    unarchiveTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: Template;
    };
    /** @description Un-void a pass. A pass that is not void stays unchanged. 409 while its template is archived. */
    unvoidPass: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: PassWithLinks;
    };
    /** @description Change the account. A JSON merge patch (RFC 7396): null clears the industry, absent properties stay unchanged. `If-Match` compares only the name and the industry. */
    updateAccount: {
        request: {
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            body: AccountPatch;
        };
        response: AccountResponse;
    };
    /** @description Change a user's role. Takes effect with the user’s next request. The last admin cannot lose the role. */
    updateAccountMember: {
        request: {
            /** @description The id of the user. */
            uid: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: RoleRequest;
        };
        response: AccountMemberResponse;
    };
    /** @description Change your own user. A JSON merge patch (RFC 7396). The name is the same in all accounts of the user. */
    updateMe: {
        request: {
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: ProfilePatch;
        };
        response: ProfileResponse;
    };
    /** @description Change a member. Changes a member by a JSON merge patch (RFC 7396): null clears a property, omitted properties stay, and `data` is merged. The pass is updated too. Use a renewal to change the expiry of an expired member. The expiry of a cancelled member cannot be changed. */
    updateMember: {
        request: {
            /** @description The id of the member within the account. */
            memberId: number;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: MemberPatch;
        };
        response: MemberResponse;
    };
    /** @description Change a pass. A JSON merge patch (RFC 7396): null clears a property, absent properties stay, lists are replaced as a whole. A null code generates a new one. Also works for passes of an archived template, which stay void. */
    updatePass: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: PassPatch;
        };
        response: ChangedPassWithLinks;
    };
    /** @description Replace a pass's metadata. Notifies no wallet and keeps `updatedAt`. A pass never shows its metadata. */
    updatePassMetadata: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: PassMetadataRequest;
        };
        response: PassWithLinks;
    };
    /** @description Change a webhook. Changes, disables or enables a webhook by a JSON merge patch (RFC 7396): null clears a property, omitted properties stay. Disabling stops pending deliveries, which continue when you enable the webhook again. Events that happen while it is disabled are not sent later unless you replay them. */
    updateWebhook: {
        request: {
            /** @description The id of the webhook. */
            webhookId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: WebhookPatch;
        };
        response: WebhookResponse;
    };
    /** @description Upload images for a template. Send any of `icon`, `logo`, `banner`, `background`, `thumbnail` and `artwork` as PNG, JPEG or WebP: at most 5 MiB, 25 megapixels and 10,000 pixels per side each, not animated. The service checks the images, strips their metadata, stores them and returns their URLs. The template itself does not change and need not exist yet. Send the URLs when you save the template, or as the `thumbnail` of a pass, within 24 hours. Unused uploads are then deleted. */
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
        response: {
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
            /** Format: uri */
            artwork?: string;
        };
    };
    /** @description Create or replace a pass. The body is the whole pass: absent optional properties are cleared, except the code, which stays. A body that equals the stored pass changes nothing. With `If-None-Match: *` it only creates a pass. */
    upsertPass: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: PassRequest;
        };
        response: ChangedPassWithLinks;
    };
    /** @description Create or replace a template. Replaces the whole template: omitted optional properties are cleared. Sending the stored values again changes nothing. `templateId` is 1 to 64 letters, digits, dots, underscores or hyphens, the first a letter or digit. The type cannot change once the template has passes. The service copies images from other addresses. `If-None-Match: *` creates a template and never replaces one. If passes change visibly, `notifications` says what their holders see. */
    upsertTemplate: {
        request: {
            /** @description The id that you choose for the template. */
            templateId: string;
            /** @description Acts on this account instead of the active one; the caller must be a member of it. */
            accountId?: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
            body: TemplateRequest;
        };
        response: Template;
    };
    /** @description Void a pass. A pass that is already void stays unchanged. */
    voidPass: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /** @description The id of the pass, unique within its template. */
            passId: string;
            /** @description `etagOf` what you read; 412 if the resource has changed since. */
            ifMatch?: string;
            /** @description Default: a new key for each call, so that a retry never repeats the change. */
            idempotencyKey?: string;
        };
        response: PassWithLinks;
    };
}
export interface LineOperations {
    /** @description Issue many passes. Send NDJSON with one pass per line, any number of lines. The response streams one line per request line, in the same order: the `index` of the line, from 0, and the pass or an error. An error does not stop the other lines. After an interruption, send the lines again with `existing=skip`; this needs your own ids. */
    createPasses: {
        request: {
            /** @description The id of the template. */
            templateId: string;
            /**
             * @description The result of a line whose `id` already exists. `error`: the error `pass_exists`. `skip`: the existing pass, unchanged, with `existing: true`. Default: error.
             * @enum {string}
             */
            existing?: "error" | "skip";
        };
    };
    /** @description Create many members. Send NDJSON with one member per line, or CSV, any number of lines. The first line of a CSV names the columns `email`, `name`, `status` and `expiry`; any other column goes into `data`. The response streams one line per member, in the same order: the `index` of the line, from 0, and the member or an error. An invalid line does not stop the others. After an interruption, send the file again with `existing=skip`. */
    importMembers: {
        request: {
            /**
             * @description The result of a line whose e-mail address belongs to an existing member. `error`: the error `member_exists`. `skip`: the existing member, with `existing: true`. Default: error.
             * @enum {string}
             */
            existing?: "error" | "skip";
        };
    };
}
