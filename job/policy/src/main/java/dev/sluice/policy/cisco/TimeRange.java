package dev.sluice.policy.cisco;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.HostZone;
import dev.sluice.policy.model.Period;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Time range of a configuration: absolute bounds, and periods of the week of which one must hold.
 * Devices differ in whether the minute that a period ends with belongs to it: it is unknown.
 */
final class TimeRange {
    private static final List<String> DAYS =
            List.of("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday");
    private static final List<String> MONTHS =
            List.of(
                    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov",
                    "dec");

    private static final int MINUTE = 60;
    private static final int HOUR = 3600;
    private static final int WEEKDAYS = 0x3e;
    private static final int WEEKEND = 0xc0;

    /** Days and seconds of the day, both included. */
    private record Span(int days, int first, int last) {}

    private final String name;
    private final List<Span> periods = new ArrayList<>();
    private final List<Span> ends = new ArrayList<>();
    private @Nullable LocalDateTime from;
    private @Nullable LocalDateTime to;
    private boolean open;

    TimeRange(String name) {
        this.name = name;
    }

    /** Takes a line of the range; one that is refused leaves the range unknown. */
    void read(LineWords words) throws RuleSyntaxException {
        try {
            line(words);
        } catch (RuleSyntaxException e) {
            open = true;
            throw e;
        }
    }

    private void line(LineWords words) throws RuleSyntaxException {
        if (words.isNumber()) {
            words.skip(1);
        }
        if (words.take("absolute", 3)) {
            while (!words.atEnd()) {
                if (words.take("start", 3)) {
                    from = date(words);
                } else if (words.take("end", 3)) {
                    to = date(words);
                } else {
                    words.next("start or end");
                    throw words.refused("is neither start nor end; write absolute start TIME DATE");
                }
            }
        } else if (words.take("periodic", 3)) {
            periodic(words);
        } else if (!words.take("remark") && !words.take("description")) {
            words.next("absolute or periodic");
            throw words.refused("is no period; write absolute or periodic");
        }
    }

    private void periodic(LineWords words) throws RuleSyntaxException {
        int days = 0;
        int first = 0;
        while (words.peek().indexOf(':') < 0) {
            int one = days(words.next("a time as in 8:00"));
            if (one == 0) {
                throw words.refused("is no day; write daily, weekdays, weekend or names of days");
            }
            first = one;
            days |= one;
        }
        int start = clock(words);
        if (!words.take("to")) {
            words.next("to");
            throw words.refused("stands where to should; write periodic DAYS TIME to TIME");
        }
        int until = words.peek().indexOf(':') < 0 ? days(words.next("a time")) : 0;
        int end = clock(words);
        if (until == 0) {
            if (end < start) {
                throw words.refused("is before the start of the period; write two periods");
            }
            add(days, start, end);
            return;
        }
        if (days != first || Integer.bitCount(first) != 1 || Integer.bitCount(until) != 1) {
            throw words.refused("ends a period of several days; write one day before each time");
        }
        if (first == until) {
            add(first, start, end);
            return;
        }
        periods.add(new Span(first, start, Period.DAY_END));
        for (int day = next(first); day != until; day = next(day)) {
            periods.add(new Span(day, 0, Period.DAY_END));
        }
        add(until, 0, end);
    }

    private void add(int days, int start, int end) {
        periods.add(new Span(days, start, end - 1));
        ends.add(new Span(days, end, end + MINUTE - 1));
    }

    private static int next(int day) {
        return day == 1 << DAYS.size() ? 2 : day << 1;
    }

    private static int days(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        for (int day = 0; day < DAYS.size(); day++) {
            if (lower.length() >= 3 && DAYS.get(day).startsWith(lower)) {
                return 2 << day;
            }
        }
        return switch (lower) {
            case "daily" -> Period.WEEK;
            case "weekdays" -> WEEKDAYS;
            case "weekend" -> WEEKEND;
            default -> 0;
        };
    }

    private static int clock(LineWords words) throws RuleSyntaxException {
        String word = words.next("a time as in 8:00");
        if (!word.matches("([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?")) {
            throw words.refused("is no time; write it as in 8:00");
        }
        String[] parts = word.split(":");
        return Integer.parseInt(parts[0]) * HOUR
                + Integer.parseInt(parts[1]) * MINUTE
                + (parts.length > 2 ? Integer.parseInt(parts[2]) : 0);
    }

    private static LocalDateTime date(LineWords words) throws RuleSyntaxException {
        int second = clock(words);
        int day = words.number(31);
        String month = words.next("a month").toLowerCase(Locale.ROOT);
        int which = month.length() < 3 ? -1 : MONTHS.indexOf(month.substring(0, 3));
        if (which < 0) {
            throw words.refused("is no month; write its name");
        }
        int year = words.number(9999);
        try {
            return LocalDateTime.of(year, which + 1, day, 0, 0).plusSeconds(second);
        } catch (DateTimeException e) {
            throw words.refused("is the year of a date that there is not; mend the date");
        }
    }

    /**
     * The condition that the range holds.
     *
     * @param zone zone of the device's clock; null: unknown
     */
    Condition condition(@Nullable HostZone zone) {
        String words = "time-range " + name;
        if (open) {
            return new Condition.Unknown(words + ": a line that is skipped");
        }
        if (zone == null) {
            return new Condition.Unknown(words + ": the zone of the device's clock");
        }
        return zone.byClock(words, offset -> at(offset, words));
    }

    private Condition at(int offset, String words) {
        List<Condition> all = new ArrayList<>();
        if (from != null || to != null) {
            long first = from == null ? 0 : from.toEpochSecond(ZoneOffset.UTC);
            long last = to == null ? Period.LAST : to.toEpochSecond(ZoneOffset.UTC);
            Condition within =
                    within(first, last - (to == null ? 0 : 1), Period.WEEK, offset, words);
            Condition end = within(last, last + MINUTE - 1, Period.WEEK, offset, words);
            all.add(to == null ? within : orEnd(within, end, words));
        }
        List<Condition> some = new ArrayList<>();
        for (Span span : periods) {
            if (span.last >= span.first) {
                some.add(new Condition.Within(period(span, offset), words));
            }
        }
        for (Span span : ends) {
            Condition end = new Condition.Within(period(span, offset), words);
            some.add(Condition.all(end, new Condition.Unknown(words + ": its last minute")));
        }
        if (!some.isEmpty()) {
            all.add(new Condition.Any(some));
        }
        return new Condition.All(all);
    }

    private static Condition orEnd(Condition within, Condition end, String words) {
        return Condition.any(
                within, Condition.all(end, new Condition.Unknown(words + ": its last minute")));
    }

    private static Condition within(long first, long last, int days, int offset, String words) {
        return new Condition.Within(
                new Period(first, last, 0, Period.DAY_END, days, Period.MONTH, false, offset),
                words);
    }

    private static Period period(Span span, int offset) {
        return new Period(
                -offset,
                Period.LAST,
                span.first,
                span.last,
                span.days,
                Period.MONTH,
                false,
                offset);
    }
}
