package dev.sluice.policy.model;

import java.io.Serializable;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * Recurrent period of time in UTC, as the kernel's {@code xt_time} judges it.
 *
 * @param first first second since 1970
 * @param last last second since 1970
 * @param start first second of the day
 * @param stop last second of the day; before the first one: of the next day
 * @param weekdays bit d set: day d of the week, from 1 for Monday
 * @param monthdays bit d set: day d of the month, from 1
 * @param contiguous whether hours after midnight count as those of the day before
 */
public record Period(
        long first, long last, int start, int stop, int weekdays, int monthdays, boolean contiguous)
        implements Serializable {
    /** Last second that the kernel's rules name. */
    public static final long LAST = Integer.MAX_VALUE;

    /** Last second of a day. */
    public static final int DAY_END = 86_399;

    /** All days of the week. */
    public static final int WEEK = 0xfe;

    /** All days of a month. */
    public static final int MONTH = 0xffff_fffe;

    private static final int DAY = 86_400;

    /** Returns whether a second since 1970 lies in it. */
    public boolean holds(long second) {
        if (second < first || second > last) {
            return false;
        }
        int ofDay = Math.floorMod(second, DAY);
        long day = second;
        if (start < stop) {
            if (ofDay < start || ofDay > stop) {
                return false;
            }
        } else {
            if (ofDay < start && ofDay > stop) {
                return false;
            }
            if (contiguous && ofDay <= stop) {
                day -= DAY;
            }
        }
        LocalDateTime date = LocalDateTime.ofEpochSecond(day, 0, ZoneOffset.UTC);
        return (weekdays >>> date.getDayOfWeek().getValue() & 1) != 0
                && (monthdays >>> date.getDayOfMonth() & 1) != 0;
    }
}
