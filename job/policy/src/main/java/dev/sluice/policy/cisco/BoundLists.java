package dev.sluice.policy.cisco;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** BoundLists of a router or switch, and the lists that stand there. */
final class BoundLists {
    /** First words of lines that may belong to an interface though they are not indented. */
    private static final Set<String> OF_INTERFACE =
            Set.of("ip", "ipv4", "ipv6", "no", "description", "switchport", "shutdown", "mac");

    private static final Pattern LETTERS = Pattern.compile("[A-Za-z-]+");

    /** List that stands at an interface. */
    record Binding(String at, boolean in, boolean v6, List<String> lists, LineWords words) {}

    final List<Binding> bindings = new ArrayList<>();
    private final RuleReading in;

    /** The interface whose lines are read; null: none. */
    private @Nullable String at;

    BoundLists(RuleReading in) {
        this.in = in;
    }

    void leave() {
        at = null;
    }

    /** Returns whether a line that is not indented may belong to the current interface. */
    boolean mayHave(LineWords words) {
        return at != null && OF_INTERFACE.contains(words.peek());
    }

    /** Begins the interface of a name. */
    void begin(LineWords words) throws RuleSyntaxException {
        if (words.left() > 1) {
            words.take("preconfigure");
        }
        String first = words.name();
        boolean parted =
                LETTERS.matcher(first).matches()
                        && !words.peek().isEmpty()
                        && Character.isDigit(words.peek().charAt(0));
        at = parted ? first + words.name() : first;
    }

    /** Takes a line that puts a list at the current interface. */
    boolean bound(LineWords line) throws RuleSyntaxException {
        String interfaceName = at;
        LineWords words = line.behind();
        boolean no = words.take("no");
        boolean v6 = words.peek().equals("ipv6");
        if (!words.take("ip") && !words.take("ipv4") && !words.take("ipv6")) {
            if (at != null
                    && words.peek().equals("mac")
                    && words.peek(1).endsWith("access-group")) {
                in.warn(line.line, "a list for frames stands there, which Sluice does not judge");
            }
            return false;
        }
        words.take("port");
        if (!words.take("access-group", 8) && !(v6 && words.take("traffic-filter", 4))) {
            return false;
        }
        if (interfaceName == null) {
            return true; // of a control plane or line, which no packet passes
        }
        if (interfaceName.equals("range")) {
            throw words.refused(
                    "stands at a range of interfaces; write it at each, as show running-config does");
        }
        List<String> names = new ArrayList<>();
        if (words.left() > 2 && words.take("common")) {
            names.add(words.name());
        }
        if (!words.peek().matches("ingress|egress")) {
            names.add(words.name());
        }
        String direction = words.next("in or out").toLowerCase(Locale.ROOT);
        if (!direction.matches("in|out|ingress|egress")) {
            throw words.refused("is no direction; write in or out");
        }
        boolean in = direction.startsWith("in");
        if (no) {
            bindings.removeIf(one -> one.at.equals(interfaceName) && one.in == in && one.v6 == v6);
            return true;
        }
        for (Binding one : bindings) {
            if (one.at.equals(interfaceName) && one.in == in && one.v6 == v6) {
                throw words.refused(
                        "gives interface %s a second list, behind that of line %d; leave one out"
                                .formatted(interfaceName, one.words.line));
            }
        }
        bindings.add(new Binding(interfaceName, in, v6, names, line.again()));
        return true;
    }
}
