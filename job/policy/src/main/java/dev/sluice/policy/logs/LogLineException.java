package dev.sluice.policy.logs;

/** Reason why a log line's packet cannot be judged. */
public final class LogLineException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Reason in words that follow the line's number. */
    public LogLineException(String reason) {
        super(reason, null, false, false);
    }
}
