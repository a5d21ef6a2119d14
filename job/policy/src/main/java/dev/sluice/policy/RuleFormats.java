package dev.sluice.policy;

import dev.sluice.policy.io.SluiceException;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The formats of rule files that service lines name, by label. */
public final class RuleFormats {
    private static final int SHOWN = 40;

    private static final List<RuleFormat> ALL =
            ServiceLoader.load(RuleFormat.class, RuleFormat.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .sorted(Comparator.comparing(RuleFormat::label))
                    .toList();

    private RuleFormats() {}

    /** The labels of all formats. */
    public static List<String> labels() {
        return ALL.stream().map(RuleFormat::label).toList();
    }

    /**
     * The format of a label, in whichever case.
     *
     * @throws SluiceException naming all labels, if there is none
     */
    public static RuleFormat of(String label) {
        return ALL.stream()
                .filter(format -> format.label().equalsIgnoreCase(label))
                .findFirst()
                .orElseThrow(
                        () ->
                                new SluiceException(
                                        "%s is unknown; use one of %s"
                                                .formatted(label, String.join(", ", labels()))));
    }

    /** The format that claims a text; null if none does. */
    public static @Nullable RuleFormat claiming(String begin) throws SluiceException {
        List<RuleFormat> claiming = ALL.stream().filter(format -> format.claims(begin)).toList();
        if (claiming.size() > 1) {
            throw new SluiceException(
                    "%s: may be of each of these formats; choose by --rules-format %s"
                            .formatted(
                                    seen(begin),
                                    claiming.stream()
                                            .map(RuleFormat::label)
                                            .collect(Collectors.joining(" or "))));
        }
        return claiming.isEmpty() ? null : claiming.get(0);
    }

    /** The message about a text that no format claims. */
    static String unclaimed(String begin) {
        return "%s: is of none of the formats that are known, %s; a rule of each: sluice rules formats"
                .formatted(seen(begin), String.join(", ", labels()));
    }

    /** Returns whether a line is neither blank nor a comment of most formats. */
    static boolean tells(String line) {
        return !line.isBlank() && !line.stripLeading().startsWith("#");
    }

    /** The first line that may tell a format, quoted; empty if there is none. */
    static String seen(String begin) {
        return begin.lines()
                .filter(RuleFormats::tells)
                .findFirst()
                .map(String::strip)
                .map(line -> line.length() > SHOWN ? line.substring(0, SHOWN) + "..." : line)
                .map(line -> "'" + line + "'")
                .orElse("");
    }
}
