package dev.sluice.job.cli;

import java.math.BigDecimal;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Numbers as users write them: perhaps with k, M or G behind, thousands, millions, billions. */
public final class Counts {
    private static final Pattern NUMBER =
            Pattern.compile(
                    "[+-]?(\\d{1,19}(\\.\\d{0,17})?|\\.\\d{1,17})([eE][+-]?\\d{1,3})?[kKmMgG]?");

    private Counts() {}

    /** Lets all options of a command and of those below it that are numbers be so written. */
    public static void register(CommandLine commands) {
        // One reference: a JVM 17 that archives classes crashes on two alike to an old interface.
        ITypeConverter<Integer> integer = Counts::integer;
        commands.registerConverter(Integer.class, integer);
        commands.registerConverter(int.class, integer);
        commands.registerConverter(Long.class, text -> whole(text, Long.MAX_VALUE));
        commands.registerConverter(long.class, text -> whole(text, Long.MAX_VALUE));
        commands.registerConverter(Double.class, text -> number(text).doubleValue());
        commands.registerConverter(double.class, text -> number(text).doubleValue());
    }

    static int integer(String text) {
        return (int) whole(text, Integer.MAX_VALUE);
    }

    private static long whole(String text, long most) {
        BigDecimal number = number(text);
        if (number.stripTrailingZeros().scale() > 0) {
            throw new TypeConversionException(
                    text + " is no whole number; write one as in 250000, 250k, 2.5M or 1G");
        }
        if (number.abs().compareTo(BigDecimal.valueOf(most)) > 0) {
            throw new TypeConversionException(
                    "%s is beyond %,d; write a smaller number".formatted(text, most));
        }
        return number.longValueExact();
    }

    private static BigDecimal number(String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw new TypeConversionException(
                    text + " is no number; write one as in 250000, 250k, 2.5M or 1G");
        }
        int places =
                switch (Character.toLowerCase(text.charAt(text.length() - 1))) {
                    case 'k' -> 3;
                    case 'm' -> 6;
                    case 'g' -> 9;
                    default -> 0;
                };
        return new BigDecimal(text.replaceAll("[kKmMgG]$", "")).scaleByPowerOfTen(places);
    }
}
