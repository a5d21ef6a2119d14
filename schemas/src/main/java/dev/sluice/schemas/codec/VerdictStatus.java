package dev.sluice.schemas.codec;

import java.util.Arrays;
import java.util.Locale;

/** How a verdict came about. */
public enum VerdictStatus {
    /** Judged by the rules that were in force. */
    OK(0),
    /** The packet is older than the first version: the default action applies. */
    NO_RULES(1),
    /** The packet is older than the rules that are kept: the default action applies. */
    HISTORY_DELETED(2),
    /** The packet came later than is allowed and was judged at the bound. */
    LATE(3),
    /** A status that a later writer added. */
    UNKNOWN(-1);

    private final int code;

    VerdictStatus(int code) {
        this.code = code;
    }

    /** Its number in column {@link Column#STATUS}; -1 for {@link #UNKNOWN}. */
    public int code() {
        return code;
    }

    /** The status with a number. */
    public static VerdictStatus ofCode(long code) {
        for (VerdictStatus status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        return UNKNOWN;
    }

    /** The status that a message names, whatever its writer knows. */
    static VerdictStatus ofSymbol(Object symbol) {
        String name = symbol.toString();
        return Arrays.stream(values())
                .filter(status -> status.name().equals(name))
                .findFirst()
                .orElse(UNKNOWN);
    }

    /** Its name as people read it: {@code classified}, {@code no-rules}. */
    public String label() {
        return this == OK ? "classified" : name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
