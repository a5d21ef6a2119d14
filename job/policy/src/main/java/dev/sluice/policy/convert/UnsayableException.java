package dev.sluice.policy.convert;

/** Condition that a format cannot say, with the reason. */
final class UnsayableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnsayableException(String why) {
        super(why);
    }
}
