package dev.sluice.job.importers;

import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Flow lines as {@code ovs-ofctl dump-flows} prints and {@code add-flows} takes them
 * (ovs-fields(7), ovs-ofctl(8)). The higher priority wins, of equal ones the earlier line. All
 * flows must be of one table. Fields whose prerequisites a line lacks are refused: a switch would
 * drop them and match more than the line says.
 */
final class OpenFlowRules {
    private static final int DEFAULT_PRIORITY = 32_768;
    private static final String BLANK = " \t\r,";

    /** What a switch counts of a flow, so that each dump has other values. */
    private static final Set<String> COUNTERS =
            Set.of(
                    "duration",
                    "n_packets",
                    "n_bytes",
                    "n_offload_packets",
                    "n_offload_bytes",
                    "idle_age",
                    "hard_age");

    private static final Pattern COUNTER =
            Pattern.compile(
                    "(?<=^|[ \t,])(?:%s)=[^ \t,]*[ \t,]*".formatted(String.join("|", COUNTERS)));

    /** Bookkeeping of a flow: no part of the match. */
    private static final Set<String> BOOKKEEPING =
            Set.of(
                    "cookie",
                    "importance",
                    "send_flow_rem",
                    "check_overlap",
                    "reset_counts",
                    "no_packet_counts",
                    "no_byte_counts");

    private static final Set<String> TIMEOUTS = Set.of("idle_timeout", "hard_timeout");

    private static final Set<String> COMMANDS =
            Set.of("modify", "delete", "modify_strict", "delete_strict");

    /** Words for a protocol: {EtherType, IP protocol or -1}. */
    private static final Map<String, int[]> SHORTHANDS =
            Map.ofEntries(
                    Map.entry("ip", new int[] {0x0800, -1}),
                    Map.entry("icmp", new int[] {0x0800, 1}),
                    Map.entry("tcp", new int[] {0x0800, 6}),
                    Map.entry("udp", new int[] {0x0800, 17}),
                    Map.entry("sctp", new int[] {0x0800, 132}),
                    Map.entry("ipv6", new int[] {0x86dd, -1}),
                    Map.entry("ip6", new int[] {0x86dd, -1}),
                    Map.entry("icmp6", new int[] {0x86dd, 58}),
                    Map.entry("tcp6", new int[] {0x86dd, 6}),
                    Map.entry("udp6", new int[] {0x86dd, 17}),
                    Map.entry("sctp6", new int[] {0x86dd, 132}),
                    Map.entry("arp", new int[] {0x0806, -1}),
                    Map.entry("rarp", new int[] {0x8035, -1}),
                    Map.entry("mpls", new int[] {0x8847, -1}),
                    Map.entry("mplsm", new int[] {0x8848, -1}));

    /** Table of the flows so far; -1 before the first. */
    private int table = -1;

    /** Whether a line is the head of a dump or otherwise holds no flow. */
    static boolean isNoFlow(String line) {
        String text = line.strip();
        return text.isEmpty() || text.matches("(NXST|OFPST)_FLOW( reply)?.*:");
    }

    /** The line without its comment. */
    static String withoutComment(String line) {
        int hash = line.indexOf('#');
        return hash < 0 ? line : line.substring(0, hash);
    }

    /**
     * The line without what a switch has counted: of two dumps the same flow has the same text.
     * What stands behind {@code actions=} stays.
     */
    static String withoutCounters(String line) {
        if (line.indexOf('=') < 0) {
            return line; // of ClassBench, most likely
        }
        int actions = line.indexOf("action");
        String flow = actions < 0 ? line : line.substring(0, actions);
        return COUNTER.matcher(flow).replaceAll("") + line.substring(flow.length());
    }

    RuleLine parse(String line) throws RuleSyntaxException {
        LineScanner in = new LineScanner(line);
        OpenFlowMatch match = new OpenFlowMatch();
        int priority = DEFAULT_PRIORITY;
        int tableOfLine = 0;
        int tableColumn = 1;
        String action = null;
        String warning = "";
        boolean first = true;
        in.skip(BLANK);
        while (!in.atEnd() && action == null) {
            String key = in.until(" \t\r=,(");
            int column = in.column();
            boolean hasValue = in.take('=');
            if (hasValue && (key.equals("actions") || key.equals("action"))) {
                action = in.rest().strip();
                break;
            }
            String value = hasValue ? in.until(" \t\r,") : "";
            int valueColumn = in.column();
            int[] shorthand = SHORTHANDS.get(key);
            if (first && !hasValue && COMMANDS.contains(key)) {
                throw new RuleSyntaxException(
                        column,
                        key,
                        "is not a flow to add; a rule set lists the flows that are in force");
            } else if (key.isEmpty()) {
                throw new RuleSyntaxException(
                        in.nextColumn(), in.rest(), "is not a field; write field=value");
            } else if (first && !hasValue && key.equals("add")) {
                in.skip(BLANK);
            } else if (shorthand != null && !hasValue) {
                match.shorthand(key, column, shorthand[0], shorthand[1]);
            } else if (key.equals("priority")) {
                priority = (int) Literals.number(value, valueColumn, 0xffff);
            } else if (key.equals("table")) {
                tableOfLine = (int) Literals.number(value, valueColumn, 255);
                tableColumn = column;
            } else if (TIMEOUTS.contains(key)) {
                if (Literals.number(value, valueColumn, 0xffff) != 0) {
                    warning = key + " is not kept: the rule stays until it is removed";
                }
            } else if (!BOOKKEEPING.contains(key) && !COUNTERS.contains(key)) {
                if (!hasValue) {
                    throw new RuleSyntaxException(column, key, OpenFlowMatch.unknown(key));
                }
                match.field(key, column, value, valueColumn);
            }
            first = false;
            in.skip(BLANK);
        }
        if (action == null) {
            throw new RuleSyntaxException(
                    in.nextColumn(),
                    "end of line",
                    "the flow has no actions; add actions=drop or another action");
        }
        if (table >= 0 && table != tableOfLine) {
            throw new RuleSyntaxException(
                    tableColumn,
                    "table=" + tableOfLine,
                    "the flows before are of table "
                            + table
                            + "; a rule set holds one table: keep one a file");
        }
        table = tableOfLine;
        return new RuleLine(priority, match.build(), action.isEmpty() ? "drop" : action, warning);
    }
}
