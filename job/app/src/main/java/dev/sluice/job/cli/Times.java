package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Points in time and lengths of time as users write them. */
public final class Times {
    private static final long NANOS = 1_000_000_000L;
    private static final Pattern DURATION = Pattern.compile("(\\d{1,13})(us|ms|s|m|h|d)");
    private static final Pattern BARE = Pattern.compile("\\d{1,13}");

    /** Units by what stands behind a number of them, the longest first. */
    private static final Map<String, Duration> UNITS = new LinkedHashMap<>();

    static {
        UNITS.put("d", Duration.ofDays(1));
        UNITS.put("h", Duration.ofHours(1));
        UNITS.put("m", Duration.ofMinutes(1));
        UNITS.put("s", Duration.ofSeconds(1));
        UNITS.put("ms", Duration.ofMillis(1));
        UNITS.put("us", Duration.of(1, ChronoUnit.MICROS));
    }

    private Times() {}

    /**
     * A point in time in a file.
     *
     * @param where file and line that has it, for the error
     * @return ns since 1970 UTC
     * @throws UsageException naming where it stands, the text and the remedy
     */
    static long instantNs(String where, String text) {
        try {
            return new Point().convert(text);
        } catch (TypeConversionException e) {
            throw new UsageException(where + " " + e.getMessage(), e);
        }
    }

    /** A duration as users write it. */
    static String words(Duration length) {
        for (Map.Entry<String, Duration> unit : UNITS.entrySet()) {
            long number = length.dividedBy(unit.getValue());
            if (number > 0 && length.equals(unit.getValue().multipliedBy(number))) {
                return number + unit.getKey();
            }
        }
        return "0s";
    }

    /**
     * A length of time: a number with us, ms, s, m, h or d behind it, up to a century.
     *
     * @throws TypeConversionException naming text and remedy
     */
    static Duration length(String text) {
        Matcher parts = DURATION.matcher(text.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            throw new TypeConversionException(
                    text
                            + " is no duration; write a number with us, ms, s, m, h or d behind it, as in 10s");
        }
        Duration length =
                UNITS.getOrDefault(parts.group(2), Duration.ZERO)
                        .multipliedBy(Long.parseLong(parts.group(1)));
        if (length.compareTo(Duration.ofDays(36_500)) > 0) {
            throw new TypeConversionException(
                    text + " is longer than a century; write a shorter one");
        }
        return length;
    }

    /**
     * Converter of points in time: ISO 8601 with its zone, or ns since 1970 UTC, which it gives.
     */
    static final class Point implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            try {
                if (text.matches("-?\\d+")) {
                    return new BigInteger(text).longValueExact();
                }
                Instant time = OffsetDateTime.parse(text).toInstant();
                return Math.addExact(
                        Math.multiplyExact(time.getEpochSecond(), NANOS), (long) time.getNano());
            } catch (DateTimeException | ArithmeticException e) {
                throw new TypeConversionException(
                        text
                                + " is no time; write 2026-11-22T14:00:00Z, with its zone, or nanoseconds since 1970");
            }
        }
    }

    /** Converter of durations. */
    static class Length implements ITypeConverter<Duration> {
        private final String bare;

        /** Of durations with a unit. */
        Length() {
            this("");
        }

        /** Of durations, and of bare numbers of a unit. */
        Length(String bare) {
            this.bare = bare;
        }

        @Override
        public Duration convert(String text) {
            return length(BARE.matcher(text).matches() ? text + bare : text);
        }
    }

    /** Converter of durations, and of bare numbers of microseconds. */
    public static final class InMicros extends Length {
        /** Made by the parser of options. */
        public InMicros() {
            super("us");
        }
    }

    /** Converter of durations, and of bare numbers of milliseconds. */
    public static final class InMillis extends Length {
        /** Made by the parser of options. */
        public InMillis() {
            super("ms");
        }
    }

    /** Converter of durations, and of bare numbers of seconds. */
    public static final class InSeconds extends Length {
        /** Made by the parser of options. */
        public InSeconds() {
            super("s");
        }
    }

    /** Converter of durations, and of bare numbers of minutes. */
    public static final class InMinutes extends Length {
        /** Made by the parser of options. */
        public InMinutes() {
            super("m");
        }
    }

    /** Converter of durations but zero. */
    public static class Pause extends Length {
        @Override
        public Duration convert(String text) {
            Duration length = super.convert(text);
            if (length.isZero()) {
                throw new TypeConversionException(text + " is zero; write at least 1ms");
            }
            return length;
        }
    }

    /** Converter of durations but zero, which stands for the words none and off. */
    static final class PauseOrNone extends Pause {
        @Override
        public Duration convert(String text) {
            return text.matches("none|off") ? Duration.ZERO : super.convert(text);
        }
    }
}
