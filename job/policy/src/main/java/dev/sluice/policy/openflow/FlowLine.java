package dev.sluice.policy.openflow;

import dev.sluice.policy.LineScanner;
import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleLine;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.SwitchPorts;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A flow as its line says it. A field that is said twice is refused: a switch takes the last one.
 * Fields whose prerequisites a line lacks are refused: a switch would drop them and match more than
 * the line says.
 *
 * @param table its table, by number or name
 * @param tableColumn the column of the table's name, 1 if the line names none
 * @param conjunction the conjunction whose packets it takes ({@code conj_id}); 0: it names none
 * @param clauses clauses of conjunctions that it is part of; then it decides nothing itself
 * @param warning something that the reader should know, or empty
 */
record FlowLine(
        RuleLine rule,
        String table,
        int tableColumn,
        long conjunction,
        List<FlowActions.Clause> clauses,
        String warning) {
    private static final int DEFAULT_PRIORITY = 32_768;

    /** 255 means all tables. */
    private static final int MOST_TABLE = 254;

    /** The table of a flow that names none. */
    private static final String FIRST_TABLE = "0";

    private static final Pattern LEARNS =
            Pattern.compile("(?<![a-z_])learn\\(", Pattern.CASE_INSENSITIVE);

    private static final Pattern TABLE =
            Pattern.compile("(?<=^|[ \t,])table[=:](\"[^\"]*\"|[^ \t\r,]*)");

    private static final Pattern TABLE_NAME = Pattern.compile("[^0-9\\s,][^\\s,]*");

    private static final String BLANK = " \t\r,";

    /** Names of the counters that a switch prints with a flow; each dump has other values. */
    static final Set<String> COUNTERS =
            Set.of(
                    "duration",
                    "n_packets",
                    "n_bytes",
                    "n_offload_packets",
                    "n_offload_bytes",
                    "idle_age",
                    "hard_age");

    /** Bookkeeping of a flow: no part of the match. */
    private static final Set<String> BOOKKEEPING =
            Set.of(
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
                    Map.entry("eth", new int[] {-1, -1}),
                    Map.entry("ip", new int[] {0x0800, -1}),
                    Map.entry("ip4", new int[] {0x0800, -1}),
                    Map.entry("ipv4", new int[] {0x0800, -1}),
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

    /** The table of a flow, by its number or name, without a look at the rest of the line. */
    static String tableOf(String line) throws RuleSyntaxException {
        int actions = line.indexOf("actions=");
        Matcher table = TABLE.matcher(actions < 0 ? line : line.substring(0, actions));
        return table.find() ? table(table.group(1), table.start(1) + 1) : FIRST_TABLE;
    }

    /** A table's number in decimal, or its name without quotes. */
    private static String table(String text, int column) throws RuleSyntaxException {
        if (text.length() > 2 && text.startsWith("\"") && text.endsWith("\"")) {
            return text.substring(1, text.length() - 1);
        }
        return TABLE_NAME.matcher(text).matches()
                ? text
                : String.valueOf(Literals.decimal(text, column, MOST_TABLE));
    }

    /** Reads a line. */
    static FlowLine parse(String line, SwitchPorts ports) throws RuleSyntaxException {
        LineScanner in = new LineScanner(line);
        Flow flow = new Flow(new FlowFields(ports));
        in.skip(BLANK);
        boolean first = true;
        while (!in.atEnd() && flow.action == null) {
            String key = in.until(" \t\r=:,(");
            int column = in.column();
            if (first && in.next() != '=' && COMMANDS.contains(key)) {
                throw new RuleSyntaxException(
                        column,
                        key,
                        "is not a flow to add; a rule set lists the flows that are in force");
            } else if (key.equals("actions") || key.equals("action")) {
                in.skip(" \t\r");
                if (!in.take('=')) {
                    throw new RuleSyntaxException(
                            column, key, "have no value; write " + key + "=drop");
                }
                String action = in.rest().strip();
                flow.clauses = FlowActions.check(action, in.column(), ports);
                if (flow.conjunction != 0 && !flow.clauses.isEmpty()) {
                    throw new RuleSyntaxException(
                            in.column(),
                            action,
                            "makes a conjunction of another one; write the flow without conj_id");
                }
                flow.action = action;
                if (LEARNS.matcher(action).find()) {
                    flow.warning = "flows that a switch learns as packets come are not in the file";
                }
            } else if (key.isEmpty()) {
                throw new RuleSyntaxException(
                        in.nextColumn(), in.rest(), "is not a field; write field=value");
            } else if (!(first && in.next() != '=' && key.equals("add"))) {
                take(flow, key, column, in);
            }
            first = false;
            in.skip(BLANK);
        }
        if (flow.action == null) {
            throw new RuleSyntaxException(
                    in.nextColumn(),
                    "end of line",
                    "the flow has no actions; add actions=drop or another action");
        }
        RuleLine rule =
                new RuleLine(
                        flow.priority,
                        flow.fields.build(),
                        flow.action.isEmpty() ? "drop" : flow.action);
        return new FlowLine(
                rule, flow.table, flow.tableColumn, flow.conjunction, flow.clauses, flow.warning);
    }

    /** A flow as far as it is read. */
    private static final class Flow {
        private final FlowFields fields;
        private final Set<String> said = new HashSet<>();
        private int priority = DEFAULT_PRIORITY;
        private String table = FIRST_TABLE;
        private int tableColumn = 1;
        private long conjunction;
        private List<FlowActions.Clause> clauses = List.of();
        private @Nullable String action;
        private String warning = "";

        Flow(FlowFields fields) {
            this.fields = fields;
        }

        /** A switch would take the last of two. */
        void once(String key, int column) throws RuleSyntaxException {
            if (!said.add(key)) {
                throw new RuleSyntaxException(
                        column, key, "is said before; a switch takes the last: keep one");
            }
        }
    }

    private static void take(Flow flow, String key, int column, LineScanner in)
            throws RuleSyntaxException {
        String value = "";
        boolean hasValue = true;
        int valueColumn = in.nextColumn();
        if (in.take('=') || in.take(':')) {
            value = in.next() == '"' ? '"' + in.quoted() + '"' : in.until(" \t\r,");
            valueColumn = in.column();
        } else if (in.take('(')) {
            value = in.until(")");
            valueColumn = in.column();
            if (!in.take(')')) {
                throw new RuleSyntaxException(
                        column, key, "opens a parenthesis that nothing closes; write the )");
            }
        } else {
            hasValue = false;
        }
        int[] shorthand = SHORTHANDS.get(key);
        if (shorthand != null && !hasValue) {
            flow.fields.shorthand(key, column, shorthand[0], shorthand[1]);
        } else if (key.equals("priority")) {
            flow.once(key, column);
            flow.priority = (int) FlowNumbers.number(value, valueColumn, 0xffff);
        } else if (key.equals("table")) {
            flow.once(key, column);
            flow.table = table(value, valueColumn);
            flow.tableColumn = column;
        } else if (TIMEOUTS.contains(key)) {
            flow.once(key, column);
            if (FlowNumbers.number(value, valueColumn, 0xffff) != 0) {
                flow.warning = key + " is not kept: the rule stays until it is removed";
            }
        } else if (key.equals("cookie")) {
            flow.once(key, column);
            FlowNumbers.bits64(value, valueColumn);
        } else if (key.equals("conj_id")) {
            flow.once(key, column);
            flow.conjunction = FlowNumbers.number(value, valueColumn, 0xffffffffL);
            if (flow.conjunction == 0) {
                throw new RuleSyntaxException(
                        valueColumn, value, "is no conjunction; write its number, from 1");
            }
        } else if (key.equals("importance")) {
            flow.once(key, column);
            FlowNumbers.number(value, valueColumn, 0xffff);
        } else if (!BOOKKEEPING.contains(key) && !COUNTERS.contains(key)) {
            if (!hasValue) {
                throw FlowNames.unknown(key, key, column);
            }
            flow.fields.field(key, column, value, valueColumn);
        }
    }
}
