package dev.sluice.policy.openflow;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.LineScanner;
import dev.sluice.policy.RuleFormat;
import dev.sluice.policy.RuleLine;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.openflow.Conjunctions.Flow;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * OpenFlow flows, one a line, as {@code ovs-ofctl dump-flows} prints and {@code add-flows} takes
 * them (ovs-fields(7), ovs-ofctl(8)). The higher priority wins, of equal ones the earlier line. A
 * later flow of the same match and priority replaces the earlier. Flows of a conjunction become the
 * combinations of their matches. The lists of a dump are the tables of the switch.
 */
public final class OpenFlowFormat implements RuleFormat {
    private static final Pattern COUNTER =
            Pattern.compile(
                    "(?<=^|[ \t,])(?:%s)=[^ \t,]*[ \t,]*"
                            .formatted(String.join("|", FlowLine.COUNTERS)));

    private static final Pattern HEAD =
            Pattern.compile("(NXST|OFPST)_FLOW( reply)?[^:]*:(\\s*flags=\\[[a-z]*\\])?");

    private static final Pattern FLOW = Pattern.compile("actions?\\s*=|priority\\s*[=:(]");

    /** The key by which a switch tells flows apart. */
    private record Key(int priority, Match match, long conjunction) {}

    @Override
    public String label() {
        return "openflow";
    }

    @Override
    public String title() {
        return "OpenFlow";
    }

    @Override
    public String example() {
        return "priority=100,tcp,tp_dst=25,actions=drop";
    }

    @Override
    public boolean claims(String begin) {
        return begin.lines()
                .map(line -> LineScanner.withoutComment(line).strip())
                .filter(line -> !line.isEmpty())
                .findFirst()
                .filter(line -> !line.startsWith("@")) // a ClassBench rule may have any action
                .filter(line -> HEAD.matcher(line).matches() || FLOW.matcher(line).find())
                .isPresent();
    }

    @Override
    public void read(RuleReading in) throws IOException {
        Map<Key, Flow> flows = new LinkedHashMap<>();
        in.eachLine(line -> flow(in, line, flows));
        for (Flow flow : flows.values()) {
            if (Conjunctions.isAlone(flow)) {
                in.add(flow.line(), flow.said().rule(), flow.text());
            }
        }
        // Of equal priority, a flow that decides alone comes before those that decide together.
        new Conjunctions(flows.values()).read(in);
    }

    private static void flow(RuleReading in, String line, Map<Key, Flow> flows)
            throws RuleSyntaxException {
        String text = LineScanner.withoutComment(line);
        if (text.isBlank()
                || HEAD.matcher(text.strip()).matches()
                || !in.wants(FlowLine.tableOf(text))) {
            return;
        }
        FlowLine flow = FlowLine.parse(text, in.ports());
        in.requireList(flow.table(), "table=" + flow.table(), flow.tableColumn());
        RuleLine rule = flow.rule();
        Key key = new Key(rule.priority(), rule.match(), flow.conjunction());
        Flow before = flows.remove(key);
        if (before != null) {
            in.warn(
                    in.line(),
                    "replaces the flow of line %d, which has its match and priority"
                            .formatted(before.line()));
        }
        flows.put(key, new Flow(in.line(), flow, withoutCounters(line.strip())));
        if (!flow.warning().isEmpty()) {
            in.warn(in.line(), flow.warning());
        }
    }

    /**
     * The line without counters: of two dumps the same flow has the same text. What stands behind
     * {@code actions=} stays.
     */
    private static String withoutCounters(String line) {
        int actions = line.indexOf("action");
        String flow = actions < 0 ? line : line.substring(0, actions);
        return COUNTER.matcher(flow).replaceAll("") + line.substring(flow.length());
    }
}
