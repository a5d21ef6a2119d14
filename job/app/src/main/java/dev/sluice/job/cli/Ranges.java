package dev.sluice.job.cli;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Check of a parsed command line against the {@link Range}s of its options and parameters. */
public final class Ranges {
    private Ranges() {}

    /**
     * Refuses values beyond their range.
     *
     * @throws ParameterException naming option, value and range
     */
    public static void require(ParseResult parsed) {
        for (ArgSpec arg : parsed.matchedArgs()) {
            if (arg.userObject() instanceof Field field && field.isAnnotationPresent(Range.class)) {
                Object value = arg.getValue();
                String name = arg instanceof OptionSpec o ? o.longestName() : arg.paramLabel();
                for (Object each : value instanceof Collection<?> all ? all : List.of(value)) {
                    String wrong = refusal(each, field.getAnnotation(Range.class));
                    if (!wrong.isEmpty()) {
                        throw new ParameterException(
                                parsed.commandSpec().commandLine(), name + " " + wrong, arg, "");
                    }
                }
            }
        }
    }

    /** The words about a value beyond a range; empty where it is within. */
    private static String refusal(Object value, Range range) {
        if (value instanceof Duration length) {
            if (length.compareTo(Times.length(range.shortest())) < 0) {
                return below(Times.words(length), range.shortest());
            }
            return length.compareTo(Times.length(range.longest())) <= 0
                    ? ""
                    : "%s is above %s, the most that it takes"
                            .formatted(Times.words(length), range.longest());
        }
        double number = ((Number) value).doubleValue();
        if (number >= range.from() && number <= range.to()) {
            return "";
        }
        return range.to() == Long.MAX_VALUE
                ? below(value, range.from())
                : "%s is not in %d..%d".formatted(value, range.from(), range.to());
    }

    private static String below(Object value, Object least) {
        return "%s is below %s, the least that it takes".formatted(value, least);
    }
}
