package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.HostZone;
import dev.sluice.policy.model.Period;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Conditions on {@code meta hour}, {@code meta day} and {@code meta time}.
 *
 * <p>nft prints hours and dates in the time zone of whoever lists the rules, and the kernel
 * compares those of UTC. Hours move by the offset of the day on which they are listed. A range of
 * hours around midnight of UTC is everything but the hours between its ends, which nft leaves out.
 * The kernel counts days by its own clock.
 */
final class TimeConditions {
    private static final Pattern CLOCK =
            Pattern.compile("([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2}))?");

    private static final Pattern DATE =
            Pattern.compile("([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?: (" + CLOCK.pattern() + "))?");

    /** Days of the week, from 0 as the kernel counts them. */
    private static final List<String> DAYS =
            List.of("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday");

    private static final int DAY = Period.DAY_END + 1;

    private final @Nullable HostZone zone;
    private final String words;

    /**
     * Conditions of a match.
     *
     * @param zone time zone of the host; null: unknown
     */
    TimeConditions(@Nullable HostZone zone, String words) {
        this.zone = zone;
        this.words = words;
    }

    /**
     * The condition of a comparison.
     *
     * @return null: it is unknown
     */
    @Nullable Condition of(String key, String operator, Node right) throws RefusedException {
        boolean listed = right.key().equals("set");
        List<Span> spans = new ArrayList<>();
        for (Node element : listed ? right.inner().list() : List.of(right)) {
            Span span = span(key, Values.plain(element));
            if (span == null) {
                return null;
            }
            spans.add(span);
        }
        boolean equality = operator.matches("|==|!=");
        if (!equality && (!operator.matches("[<>]=?") || !spans.get(0).isOne() || listed)) {
            return null;
        }
        if (key.equals("time")) {
            return equality
                    ? among(spans, operator, this::seconds)
                    : before(spans.get(0).low, operator);
        }
        if (zone == null) {
            return null;
        }
        return key.equals("day")
                ? zone.byClock(
                        words, at -> among(spans, operator, (low, high) -> days(low, high, at)))
                : zone.byClock(
                        words,
                        at ->
                                among(
                                        spans.stream().map(one -> one.inUtc(at)).toList(),
                                        operator,
                                        (low, high) -> hours(low, high, listed)));
    }

    private @Nullable Span span(String key, Node element) throws RefusedException {
        boolean range = element.key().equals("range");
        Node first = range ? element.inner().side(0) : element;
        Node second = range ? element.inner().side(1) : element;
        OptionalLong low = value(key, first);
        OptionalLong high = value(key, second);
        if (low.isEmpty() || high.isEmpty()) {
            return null;
        }
        Span span = new Span(low.getAsLong(), high.getAsLong());
        if (span.low > span.high && !key.equals("hour")) {
            throw element.refused("is an empty range; write the lower value first");
        }
        return span;
    }

    /** The second of a day, the day of a week or the second since 1970; none: it is unknown. */
    private OptionalLong value(String key, Node node) throws RefusedException {
        return switch (key) {
            case "hour" -> {
                Matcher clock = CLOCK.matcher(node.text());
                yield clock.matches()
                        ? OptionalLong.of(time(node, clock, 1).toSecondOfDay())
                        : OptionalLong.empty();
            }
            case "day" -> {
                int day = DAYS.indexOf(node.text());
                day = day >= 0 ? day : node.number(3).intValue();
                if (day >= DAYS.size()) {
                    throw node.refused("is no day of the week; write 0 for Sunday to 6");
                }
                yield OptionalLong.of(day);
            }
            default -> {
                Matcher date = DATE.matcher(node.text());
                if (!date.matches()) {
                    yield node.text().matches("[1-9][0-9]{0,9}")
                            ? OptionalLong.of(Long.parseLong(node.text()))
                            : OptionalLong.empty();
                }
                yield zone == null ? OptionalLong.empty() : zone.second(date(node, date));
            }
        };
    }

    private static LocalDateTime date(Node node, Matcher date) throws RefusedException {
        LocalTime time = date.group(4) == null ? LocalTime.MIDNIGHT : time(node, date, 5);
        try {
            return LocalDate.of(number(date, 1), number(date, 2), number(date, 3)).atTime(time);
        } catch (DateTimeException e) {
            throw node.refused("is no date; write one as in 2026-11-28");
        }
    }

    private static LocalTime time(Node node, Matcher clock, int group) throws RefusedException {
        try {
            int second = clock.group(group + 2) == null ? 0 : number(clock, group + 2);
            return LocalTime.of(number(clock, group), number(clock, group + 1), second);
        } catch (DateTimeException e) {
            throw node.refused("is no time of day; write one as in 17:00");
        }
    }

    private static int number(Matcher in, int group) {
        return Integer.parseInt(in.group(group));
    }

    private Condition within(Period period) {
        return new Condition.Within(period, words);
    }

    private Condition days(long low, long high, int offset) {
        int days = 0;
        for (long day = low; day <= high; day++) {
            days |= 1 << (day == 0 ? DAYS.size() : day);
        }
        return within(Period.weekly(days, offset));
    }

    /** Seconds of each day in UTC. */
    private Condition hours(long low, long high, boolean listed) {
        if (low > high) { // nft reverses the range, but for elements, which it refuses
            return listed ? new Condition.Unknown(words) : Condition.not(hours(high, low, false));
        }
        if (low < high) {
            return within(Period.daily((int) low, (int) high));
        }
        return Condition.not( // a period of no second is one of all seconds
                low == 0
                        ? within(Period.daily(1, Period.DAY_END))
                        : low == Period.DAY_END
                                ? within(Period.daily(0, Period.DAY_END - 1))
                                : within(Period.daily((int) low + 1, (int) low - 1)));
    }

    /** The kernel compares nanoseconds, of which no packet tells whether they are 0. */
    private Condition seconds(long low, long high) {
        Condition last =
                Condition.all(within(Period.seconds(high, high)), new Condition.Unknown(words));
        return low == high ? last : Condition.any(within(Period.seconds(low, high - 1)), last);
    }

    private Condition before(long second, String operator) {
        Condition before = within(Period.seconds(0, second - 1));
        return switch (operator) {
            case "<" -> before;
            case ">=" -> Condition.not(before);
            case "<=" -> Condition.any(before, seconds(second, second));
            default -> Condition.not(Condition.any(before, seconds(second, second)));
        };
    }

    /** Values, both included. */
    private record Span(long low, long high) {
        boolean isOne() {
            return low == high;
        }

        /** Seconds of a day in UTC, of which the first may be behind the last. */
        Span inUtc(int offset) {
            return new Span(Math.floorMod(low - offset, DAY), Math.floorMod(high - offset, DAY));
        }
    }

    /** The condition that a value is one of some. */
    private interface Among {
        Condition of(long low, long high);
    }

    private static Condition among(List<Span> spans, String operator, Among among) {
        long one = spans.get(0).low;
        return switch (operator) {
            case "<" -> one == 0 ? Condition.NEVER : among.of(0, one - 1);
            case "<=" -> among.of(0, one);
            case ">" -> Condition.not(among.of(0, one));
            case ">=" -> one == 0 ? Condition.ALWAYS : Condition.not(among.of(0, one - 1));
            default -> {
                Condition any =
                        Conditions.any(
                                spans.stream().map(each -> among.of(each.low, each.high)).toList());
                yield operator.equals("!=") ? Condition.not(any) : any;
            }
        };
    }
}
