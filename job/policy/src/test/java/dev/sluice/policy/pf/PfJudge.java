package dev.sluice.policy.pf;

import dev.sluice.policy.appliance.FirewallAnswer;
import dev.sluice.policy.appliance.FirewallPacket;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Slow judge of simple texts for pf: line by line, the last match kept. */
final class PfJudge {
    /** Mistakes of a judge that the comparison must tell. */
    enum Mistake {
        NONE,
        FIRST_MATCH_DECIDES,
        QUICK_IS_IGNORED,
        NO_DEFAULT_FLAGS,
        BLOCKS_BY_DEFAULT,
        NEGATED_ADDRESS_IS_IGNORED,
        NEGATED_INTERFACE_IS_IGNORED,
        BETWEEN_INCLUDES_ITS_ENDS,
        DIRECTION_IS_IGNORED,
        QUICK_ANCHOR_IS_IGNORED,
        ANCHOR_WITHOUT_CONDITION,
        NEGATED_ENTRY_IS_IGNORED
    }

    private static final Pattern TABLE = Pattern.compile("table <(\\w+)> const \\{ (.*) \\}");

    private final String[] lines;
    private final FirewallPacket packet;
    private final Mistake mistake;
    private final boolean incoming;
    private final Map<String, String> tables = new HashMap<>();
    private int at;
    private boolean stopped;
    private FirewallAnswer best;

    private PfJudge(String text, FirewallPacket packet, Mistake mistake, boolean incoming) {
        lines = text.split("\n");
        this.packet = packet;
        this.mistake = mistake;
        this.incoming = incoming;
        best = new FirewallAnswer(mistake != Mistake.BLOCKS_BY_DEFAULT, 0);
    }

    static FirewallAnswer judge(String text, FirewallPacket packet, Mistake mistake) {
        FirewallAnswer in = new PfJudge(text, packet, mistake, true).walk();
        return in.permits() ? new PfJudge(text, packet, mistake, false).walk() : in;
    }

    private FirewallAnswer walk() {
        rules(true);
        return best;
    }

    /** Walks up to a closing brace; tells whether a rule matched. */
    private boolean rules(boolean asked) {
        boolean any = false;
        while (at < lines.length) {
            int number = at + 1;
            String line = lines[at++].strip();
            Matcher table = TABLE.matcher(line);
            if (line.startsWith("set ")) {
                continue;
            }
            if (line.equals("}")) {
                return any;
            }
            if (table.matches()) {
                tables.put(table.group(1), table.group(2));
            } else if (line.startsWith("anchor")) {
                boolean enters =
                        asked
                                && !stopped
                                && (mistake == Mistake.ANCHOR_WITHOUT_CONDITION || matches(line));
                boolean matched = rules(enters);
                any |= matched;
                stopped |=
                        matched
                                && line.contains(" quick")
                                && mistake != Mistake.QUICK_ANCHOR_IS_IGNORED;
            } else if (asked && !stopped && matches(line)) {
                any = true;
                best = new FirewallAnswer(line.startsWith("pass"), number);
                stopped =
                        line.contains(" quick") && mistake != Mistake.QUICK_IS_IGNORED
                                || mistake == Mistake.FIRST_MATCH_DECIDES;
            }
        }
        return any;
    }

    private boolean matches(String line) {
        String words = " " + line + " ";
        boolean directed = mistake != Mistake.DIRECTION_IS_IGNORED;
        if (directed
                && (words.contains(" in ") && !incoming || words.contains(" out ") && incoming)) {
            return false;
        }
        Matcher on = Pattern.compile(" on (! )?(em\\d) ").matcher(words);
        if (on.find()) {
            boolean same = on.group(2).equals(incoming ? packet.in() : packet.out());
            boolean negated =
                    on.group(1) != null && mistake != Mistake.NEGATED_INTERFACE_IS_IGNORED;
            if (same == negated) {
                return false;
            }
        }
        if (words.contains(" inet ") && packet.v6() || words.contains(" inet6 ") && !packet.v6()) {
            return false;
        }
        Matcher proto = Pattern.compile(" proto (\\{[^}]*\\}|\\S+)").matcher(words);
        if (proto.find() && !proto.group(1).matches(".*\\b" + name() + "\\b.*")) {
            return false;
        }
        Matcher type = Pattern.compile(" icmp-type (\\d+)( code (\\d+))?").matcher(words);
        if (type.find()
                && (packet.protocol() != 1
                        || packet.fromPort() != Integer.parseInt(type.group(1))
                        || type.group(3) != null
                                && packet.toPort() != Integer.parseInt(type.group(3)))) {
            return false;
        }
        return end(words, " from ", true) && end(words, " to ", false) && flags(words);
    }

    private String name() {
        return switch (packet.protocol()) {
            case 6 -> "tcp";
            case 17 -> "udp";
            case 1 -> "icmp";
            default -> "icmp6";
        };
    }

    private boolean flags(String words) {
        if (packet.protocol() != 6 || mistake == Mistake.NO_DEFAULT_FLAGS) {
            return true;
        }
        if (words.contains(" flags A/A ")) {
            return (packet.flags() & 0x10) != 0;
        }
        boolean stateful = words.contains(" pass ") && !words.contains(" no state ");
        return words.contains(" flags any ") || !stateful || (packet.flags() & 0x12) == 0x02;
    }

    private boolean end(String words, String key, boolean source) {
        int from = words.indexOf(key);
        if (from < 0) {
            return true;
        }
        String rest = words.substring(from + key.length());
        Matcher host =
                Pattern.compile(
                                "(\\{[^}]*\\}|! \\S+|\\S+)( port (\\{[^}]*\\}|(?:[<>!=]+ )?\\d\\S*(?: >< \\d+| <> \\d+)?))?")
                        .matcher(rest);
        if (!host.lookingAt()) {
            throw new IllegalStateException(rest);
        }
        boolean fits = false;
        for (String one : host.group(1).replaceAll("[{}]", "").strip().split(", ")) {
            fits |= host(one, source);
        }
        String ports = host.group(3);
        if (!fits || ports == null) {
            return fits;
        }
        int port = source ? packet.fromPort() : packet.toPort();
        boolean any = false;
        for (String one : ports.replaceAll("[{}]", "").strip().split(", ")) {
            any |= port(one.split(" "), port);
        }
        return any;
    }

    private boolean port(String[] words, int port) {
        if (words.length == 3) {
            int low = Integer.parseInt(words[0]);
            int high = Integer.parseInt(words[2]);
            boolean ends =
                    mistake == Mistake.BETWEEN_INCLUDES_ITS_ENDS && (port == low || port == high);
            return words[1].equals("><")
                    ? port > low && port < high || ends
                    : port < low || port > high;
        }
        if (words.length == 2) {
            int value = Integer.parseInt(words[1]);
            return switch (words[0]) {
                case "<" -> port < value;
                case ">=" -> port >= value;
                default -> port != value;
            };
        }
        String[] ends = words[0].split(":");
        return port >= Integer.parseInt(ends[0]) && port <= Integer.parseInt(ends[ends.length - 1]);
    }

    private boolean host(String word, boolean source) {
        if (word.startsWith("! ") && mistake != Mistake.NEGATED_ADDRESS_IS_IGNORED) {
            String positive = word.substring(2);
            boolean table = positive.startsWith("<");
            return (table || !packet.v6()) && !host(positive, source);
        }
        String plain = word.replace("! ", "");
        if (plain.equals("any")) {
            return true;
        }
        if (plain.startsWith("<")) {
            boolean inside = false;
            int longest = -1;
            for (String entry : tables.get(plain.replaceAll("[<>]", "")).split(", ")) {
                String block = entry.replace("!", "");
                int length = Integer.parseInt(block.substring(block.indexOf('/') + 1));
                if (host(block, source) && length > longest) {
                    longest = length;
                    inside = !entry.startsWith("!") || mistake == Mistake.NEGATED_ENTRY_IS_IGNORED;
                }
            }
            return inside;
        }
        int slash = plain.indexOf('/');
        int length = slash < 0 ? 32 : Integer.parseInt(plain.substring(slash + 1));
        String address = slash < 0 ? plain : plain.substring(0, slash);
        int last = Integer.parseInt(address.substring(address.lastIndexOf('.') + 1));
        int free = 32 - length;
        return !packet.v6() && last >> free == packet.end(source) >> free;
    }
}
