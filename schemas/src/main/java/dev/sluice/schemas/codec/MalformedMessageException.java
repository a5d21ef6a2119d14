package dev.sluice.schemas.codec;

/** A message that is not what its topic holds. The text is short and stable: people count by it. */
public final class MalformedMessageException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String detail;

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
