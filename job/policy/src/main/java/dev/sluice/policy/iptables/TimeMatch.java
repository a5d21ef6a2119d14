package dev.sluice.policy.iptables;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.HostZone;
import dev.sluice.policy.model.Period;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reader of {@code -m time}. What it does not understand is a condition that nobody knows: times in
 * the kernel's own zone where nobody names it, and what iptables itself may refuse.
 */
final class TimeMatch {
    private static final List<String> DAYS =
            List.of("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun");

    private static final Pattern CLOCK =
            Pattern.compile("([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2}))?");

    private static final Pattern DATE =
            Pattern.compile(
                    "([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:T([0-9]{1,2})(?::([0-9]{1,2})"
                            + "(?::([0-9]{1,2}))?)?)?)?)?");

    private static final int HOUR = 3600;
    private static final int MINUTE = 60;
    private static final int NONE = -1;

    private long first;
    private long last = Period.LAST;
    private int start;
    private int stop = Period.DAY_END;
    private int weekdays = Period.WEEK;
    private int monthdays = Period.MONTH;
    private boolean contiguous;

    /** True if times are those of the kernel's own clock. */
    private boolean local;

    private boolean good = true;

    private TimeMatch() {}

    /**
     * The condition of a match in its words, from {@code -m time} on.
     *
     * @param zone time zone of the host; null: unknown
     */
    static Condition of(String text, @Nullable HostZone zone) {
        TimeMatch match = new TimeMatch();
        if (!match.read(List.of(text.split(" ", -1))) || match.local && zone == null) {
            return new Condition.Unknown(text);
        }
        return match.local
                ? Objects.requireNonNull(zone).byClock(text, at -> match.within(at, text))
                : match.within(0, text);
    }

    private Condition within(int offset, String text) {
        return new Condition.Within(
                new Period(first, last, start, stop, weekdays, monthdays, contiguous, offset),
                text);
    }

    private boolean read(List<String> words) {
        Set<String> given = new HashSet<>();
        for (int at = 2; at < words.size() && good; at++) { // behind -m time
            boolean negated = words.get(at).equals("!");
            at += negated ? 1 : 0;
            String option = words.get(at);
            good = given.add(option);
            if (option.equals("--contiguous") && !negated) {
                contiguous = true;
            } else if (option.equals("--kerneltz") && !negated) {
                local = true;
            } else if (!option.equals("--utc") && good) {
                at++;
                good = at < words.size() && read(option, words.get(at), negated);
            }
        }
        return good && first >= 0 && last >= 0 && start >= 0 && stop >= 0;
    }

    private boolean read(String option, String value, boolean negated) {
        switch (option) {
            case "--weekdays" -> {
                weekdays = days(value, DAYS, DAYS.size());
                weekdays = negated ? ~weekdays & Period.WEEK : weekdays;
                return good;
            }
            case "--monthdays" -> {
                monthdays = days(value, List.of(), 31);
                monthdays = negated ? ~monthdays & Period.MONTH : monthdays;
                return good;
            }
            case "--timestart" -> start = clock(value);
            case "--timestop" -> stop = clock(value);
            case "--datestart" -> first = date(value);
            case "--datestop" -> last = date(value);
            default -> {
                return false;
            }
        }
        return !negated;
    }

    private int days(String value, List<String> names, int most) {
        int days = 0;
        for (String word : value.split(",", -1)) {
            int day = names.indexOf(word) + 1;
            if (day == 0 && word.matches("[1-9][0-9]?")) {
                day = Integer.parseInt(word);
            }
            good &= day > 0 && day <= most;
            days |= 1 << day;
        }
        return days;
    }

    private static int clock(String value) {
        Matcher clock = CLOCK.matcher(value);
        if (!clock.matches()) {
            return NONE;
        }
        int hour = number(clock.group(1), 0);
        int minute = number(clock.group(2), 0);
        int second = number(clock.group(3), 0);
        return hour > 23 || minute > 59 || second > 59
                ? NONE
                : hour * HOUR + minute * MINUTE + second;
    }

    private static long date(String value) {
        Matcher date = DATE.matcher(value);
        if (!date.matches()) {
            return NONE;
        }
        int month = number(date.group(2), 1);
        int day = number(date.group(3), 1);
        int hour = number(date.group(4), 0);
        int minute = number(date.group(5), 0);
        int second = number(date.group(6), 0);
        boolean real =
                month >= 1 && month <= 12 && day >= 1 && day <= 28 || isDay(date, month, day);
        if (!real || hour > 23 || minute > 59 || second > 59) {
            return NONE;
        }
        long midnight =
                LocalDate.of(number(date.group(1), 1970), month, day)
                        .atStartOfDay()
                        .toEpochSecond(ZoneOffset.UTC);
        int ofDay = hour * HOUR + minute * MINUTE + second;
        return midnight + ofDay;
    }

    private static boolean isDay(Matcher date, int month, int day) {
        return month >= 1
                && month <= 12
                && day >= 1
                && day <= LocalDate.of(number(date.group(1), 1970), month, 1).lengthOfMonth();
    }

    private static int number(@Nullable String digits, int otherwise) {
        return digits == null ? otherwise : Integer.parseInt(digits);
    }
}
