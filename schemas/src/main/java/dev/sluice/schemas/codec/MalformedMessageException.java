package dev.sluice.schemas.codec;

/**
 * A message that is not what its topic holds. Its message text is the reason, by which dead letters
 * are counted.
 */
public final class MalformedMessageException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String detail;

    /**
     * A refusal of a message.
     *
     * @param reason a short text that stays the same from message to message
     * @param detail figures and names of this message
     */
    public MalformedMessageException(String reason, String detail) {
        super(reason);
        this.detail = detail;
    }

    /** What is wrong, in few stable words. */
    public String reason() {
        return String.valueOf(getMessage());
    }

    /** Figures and names for a person who looks into it. */
    public String detail() {
        return detail;
    }
}
