package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Points in time and lengths of time as users write them. */
public final class Times {
    private static final long NANOS = 1_000_000_000L;
    private static final Pattern DURATION = Pattern.compile("(\\d{1,13})(us|ms|s|m|h|d)");
    private static final Pattern BARE = Pattern.compile("\\d{1,13}");

    private Times() {}

    /**
     * A point in time: ISO 8601 with its zone, or nanoseconds since 1970 UTC.
     *
     * @param where option or file and line that has it, for the error
     * @return ns since 1970 UTC
     * @throws UsageException naming where it stands, the text and the remedy
     */
    static long instantNs(String where, String text) {
        try {
            if (text.matches("-?\\d+")) {
                return new BigInteger(text).longValueExact();
            }
            Instant time = OffsetDateTime.parse(text).toInstant();
            return Math.addExact(
                    Math.multiplyExact(time.getEpochSecond(), NANOS), (long) time.getNano());
        } catch (DateTimeException | ArithmeticException e) {
            throw new UsageException(
                    where
                            + " "
                            + text
                            + " is no time; write 2026-11-22T14:00:00Z, with its zone, or nanoseconds since 1970",
                    e);
        }
    }

    /**
     * A length of time as {@link #duration}, or a bare number in the unit that an option has had
     * ever since.
     *
     * @param unit of a bare number: ms, say
     * @throws UsageException naming option, text and remedy
     */
    static Duration durationIn(String unit, String option, String text) {
        return duration(option, BARE.matcher(text).matches() ? text + unit : text);
    }

    /**
     * A length of time: a number with us, ms, s, m, h or d behind it, up to a century.
     *
     * @throws UsageException naming option, text and remedy
     */
    static Duration duration(String option, String text) {
        try {
            return length(text);
        } catch (TypeConversionException e) {
            throw new UsageException(option + " " + e.getMessage(), e);
        }
    }

    private static Duration length(String text) {
        Matcher parts = DURATION.matcher(text.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            throw new TypeConversionException(
                    text
                            + " is no duration; write a number with us, ms, s, m, h or d behind it, as in 10s");
        }
        long number = Long.parseLong(parts.group(1));
        Duration length =
                switch (parts.group(2)) {
                    case "us" -> Duration.of(number, ChronoUnit.MICROS);
                    case "ms" -> Duration.ofMillis(number);
                    case "s" -> Duration.ofSeconds(number);
                    case "m" -> Duration.ofMinutes(number);
                    case "h" -> Duration.ofHours(number);
                    default -> Duration.ofDays(number);
                };
        if (length.compareTo(Duration.ofDays(36_500)) > 0) {
            throw new TypeConversionException(
                    text + " is longer than a century; write a shorter one");
        }
        return length;
    }

    /**
     * A length of time, unless it is below a bound.
     *
     * @throws UsageException naming option, length and bound
     */
    static Duration atLeast(Duration least, String option, Duration length) {
        if (length.compareTo(least) < 0) {
            throw new UsageException(
                    "%s %s is below %s, the least that it takes"
                            .formatted(option, words(length), words(least)));
        }
        return length;
    }

    private static String words(Duration length) {
        long micros = length.toNanos() / 1000;
        return micros % 1_000_000 == 0
                ? micros / 1_000_000 + "s"
                : micros % 1000 == 0 ? micros / 1000 + "ms" : micros + "us";
    }

    /**
     * A time to wait between two things: as {@link #duration}, but not zero.
     *
     * @throws UsageException naming option, text and remedy
     */
    public static Duration pause(String option, String text) {
        Duration length = duration(option, text);
        if (length.isZero()) {
            throw new UsageException(option + " " + text + " is no pause; write at least 1ms");
        }
        return length;
    }

    /** Reads an option whose text is a duration, a bare number, or a word for none. */
    public static final class Written implements ITypeConverter<String> {
        private static final Pattern WORD = Pattern.compile("none|off");

        @Override
        public String convert(String text) {
            if (!WORD.matcher(text).matches() && !BARE.matcher(text).matches()) {
                length(text);
            }
            return text;
        }
    }

    /** Reads a duration as a whole number of minutes, as which a bare number counts. */
    public static final class Minutes extends Whole {
        /** Made by the parser of options. */
        public Minutes() {
            super("m", Duration.ofMinutes(1), "minutes");
        }
    }

    /** Reads a duration as a whole number of seconds, as which a bare number counts. */
    public static final class Seconds extends Whole {
        /** Made by the parser of options. */
        public Seconds() {
            super("s", Duration.ofSeconds(1), "seconds");
        }
    }

    /** Reads a duration as a whole number of milliseconds, as which a bare number counts. */
    public static final class Millis extends Whole {
        /** Made by the parser of options. */
        public Millis() {
            super("ms", Duration.ofMillis(1), "milliseconds");
        }
    }

    /** Reads a duration as a whole number of a unit. */
    abstract static class Whole implements ITypeConverter<Integer> {
        private final String unit;
        private final Duration one;
        private final String words;

        /**
         * Of a unit.
         *
         * @param unit what is behind a number of them
         * @param words their name
         */
        Whole(String unit, Duration one, String words) {
            this.unit = unit;
            this.one = one;
            this.words = words;
        }

        @Override
        public Integer convert(String text) {
            Duration length = length(BARE.matcher(text).matches() ? text + unit : text);
            long number = length.dividedBy(one);
            if (!length.equals(one.multipliedBy(number)) || number > Integer.MAX_VALUE) {
                throw new TypeConversionException(
                        text + " is no whole number of " + words + "; write one, as in 10" + unit);
            }
            return (int) number;
        }
    }
}
