package dev.sluice.schemas.codec;

/**
 * A message that is not what its topic holds. Its message text is the reason, by which dead letters
 * are counted.
 */
public final class MalformedMessageException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;
    private final String detail;

    /**
     * A refusal of a message.
     *
     * @param detail figures and names of this message
     */
    public MalformedMessageException(DeadLetterReason reason, String detail) {
        super(reason.text());
        this.reason = reason.text();
        this.detail = detail;
    }

    /** The text of its {@link DeadLetterReason}. */
    public String reason() {
        return reason;
    }

    /** Figures and names for a person who looks into it. */
    public String detail() {
        return detail;
    }
}
