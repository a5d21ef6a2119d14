package dev.sluice.policy;

import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of a switch's ports, which flows may write for their numbers. */
public final class SwitchPorts {
    /** No names but those of OpenFlow. */
    public static final SwitchPorts NONE = new SwitchPorts(Map.of());

    private static final Map<String, Integer> RESERVED =
            Map.ofEntries(
                    Map.entry("UNSET", 0xfff7),
                    Map.entry("IN_PORT", 0xfff8),
                    Map.entry("TABLE", 0xfff9),
                    Map.entry("NORMAL", 0xfffa),
                    Map.entry("FLOOD", 0xfffb),
                    Map.entry("ALL", 0xfffc),
                    Map.entry("CONTROLLER", 0xfffd),
                    Map.entry("LOCAL", 0xfffe),
                    Map.entry("ANY", 0xffff),
                    Map.entry("NONE", 0xffff));

    /** A port as ovs-ofctl show prints it: {@code 1(eth0): addr:...}. */
    private static final Pattern SHOWN =
            Pattern.compile("([0-9]+|LOCAL)\\((.+)\\): addr:[0-9a-f:]+");

    private static final Pattern OWN = Pattern.compile("([^\\s=#]+)(?:\\s+|\\s*=\\s*)([0-9]+)");

    private static final Pattern SHOW_HEAD = Pattern.compile("OFPT_FEATURES_REPLY .*");
    private static final int MOST_SHOWN = 80;

    private final Map<String, Integer> numbers;

    private SwitchPorts(Map<String, Integer> numbers) {
        this.numbers = numbers;
    }

    /**
     * Reads a file of lines {@code NAME NUMBER} or {@code NAME=NUMBER}, or what {@code ovs-ofctl
     * show} prints.
     *
     * @throws SluiceException naming file, line and remedy
     */
    public static SwitchPorts read(Path file) {
        Map<String, Integer> numbers = new HashMap<>();
        AtomicBoolean shown = new AtomicBoolean(); // by ovs-ofctl, with lines that are no ports
        TextFiles.eachEntry(
                file,
                "file of ports",
                (line, text) -> {
                    Matcher port = SHOWN.matcher(text);
                    Matcher own = OWN.matcher(text);
                    if (port.matches() || SHOW_HEAD.matcher(text).matches()) {
                        shown.set(true);
                    }
                    if (port.matches()) {
                        put(numbers, port.group(2), port.group(1), file + ":" + line);
                    } else if (!shown.get() && own.matches()) {
                        put(numbers, own.group(1), own.group(2), file + ":" + line);
                    } else if (!shown.get()) {
                        throw new SluiceException(
                                "%s:%d: '%s' is no port; write NAME NUMBER, or give the output of ovs-ofctl show"
                                        .formatted(
                                                file,
                                                line,
                                                text.substring(
                                                        0, Math.min(MOST_SHOWN, text.length()))));
                    }
                });
        if (numbers.isEmpty()) {
            throw new SluiceException(
                    file
                            + ": names no port; write NAME NUMBER, or give the output of ovs-ofctl show");
        }
        return new SwitchPorts(numbers);
    }

    private static void put(
            Map<String, Integer> numbers, String name, String digits, String place) {
        int number;
        try {
            number = reserved(digits) >= 0 ? reserved(digits) : port(digits, 1);
        } catch (RuleSyntaxException e) {
            throw new SluiceException(place + ": " + e.getMessage(), e);
        }
        Integer before = numbers.put(name, number);
        if (before != null && before != number) {
            throw new SluiceException(
                    "%s: port %s has number %d and, before, %d; give the file of one switch, each port once"
                            .formatted(place, name, number, before));
        }
    }

    private static int reserved(String name) {
        return RESERVED.getOrDefault(name.toUpperCase(Locale.ROOT), -1);
    }

    /** The number of a port of the file by its name; -1 if it names none. */
    public int number(String name) {
        return numbers.getOrDefault(name, -1);
    }

    /** The number of a port as a flow writes it. */
    public int parse(String text, int column) throws RuleSyntaxException {
        String name = text;
        if (text.length() > 1 && text.startsWith("\"") && text.endsWith("\"")) {
            name = text.substring(1, text.length() - 1);
        } else if (reserved(text) >= 0) {
            return reserved(text);
        } else if (Character.isDigit(text.charAt(0)) && number(text) < 0) {
            return port(text, column);
        }
        int number = number(name);
        if (number < 0) {
            throw new RuleSyntaxException(
                    column,
                    text,
                    "is the name of a switch port, "
                            + (numbers.isEmpty()
                                    ? "whose number the switch knows alone; write what ovs-ofctl show"
                                            + " BRIDGE prints into a file, and name that by --ports FILE"
                                    : "which is not among the "
                                            + Amount.of(numbers.size(), "port")
                                            + " of --ports; add it there"),
                    "port");
        }
        return number;
    }

    /** OpenFlow has two numbers for each reserved port, of 16 and of 32 bits. */
    private static int port(String digits, int column) throws RuleSyntaxException {
        long number = Literals.decimal(digits, column, 0xffffffffL);
        if (number > 0xffff && number < 0xffffff00L) {
            throw new RuleSyntaxException(
                    column, digits, "is no port; they end at 65535, and begin again at 4294967040");
        }
        return (int) number & 0xffff;
    }
}
