package dev.sluice.policy.model;

import java.io.Serializable;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * Recurrent period of time by a clock, as the kernel's {@code xt_time} judges it.
 *
 * @param first first second since 1970 by the clock
 * @param last last second since 1970 by the clock
 * @param start first second of the day
 * @param stop last second of the day; before the first one: of the next day
 * @param weekdays bit d set: day d of the week, from 1 for Monday
 * @param monthdays bit d set: day d of the month, from 1
 * @param contiguous whether hours after midnight count as those of the day before
 * @param offset seconds that the clock is ahead of UTC
 */
public record Period(
        long first,
        long last,
        int start,
        int stop,
        int weekdays,
        int monthdays,
        boolean contiguous,
        int offset)
        implements Serializable {
    /** Last second that the rules of {@code xt_time} name. */
    public static final long LAST = Integer.MAX_VALUE;

    /** Last second of periods without end. */
    private static final long EVER = Instant.MAX.getEpochSecond();

    /** Last second of a day. */
    public static final int DAY_END = 86_399;

    /** All days of the week. */
    public static final int WEEK = 0xfe;

    /** All days of a month. */
    public static final int MONTH = 0xffff_fffe;

    private static final int DAY = 86_400;

    /** Seconds since 1970 in UTC, both included. */
    public static Period seconds(long first, long last) {
        return new Period(first, last, 0, DAY_END, WEEK, MONTH, false, 0);
    }

    /** Seconds of each day in UTC, both included, the first one before the last one. */
    public static Period daily(int start, int stop) {
        return new Period(0, EVER, start, stop, WEEK, MONTH, false, 0);
    }

    /** Days of the week by a clock. */
    public static Period weekly(int weekdays, int offset) {
        return new Period(-offset, EVER, 0, DAY_END, weekdays, MONTH, false, offset);
    }

    /** The seconds from one on. */
    public static Period from(long first) {
        return seconds(first, EVER);
    }

    /** Returns whether a second since 1970 in UTC lies in it. */
    public boolean holds(long utc) {
        long second = utc + offset;
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
