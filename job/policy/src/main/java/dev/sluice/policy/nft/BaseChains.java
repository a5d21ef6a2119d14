package dev.sluice.policy.nft;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hooks, types and priorities of base chains. */
final class BaseChains {
    private static final Set<String> IP = Set.of("ip", "ip6", "inet");

    private static final Map<String, Integer> PRIORITIES =
            Map.of(
                    "raw",
                    -300,
                    "mangle",
                    -150,
                    "dstnat",
                    -100,
                    "filter",
                    0,
                    "security",
                    50,
                    "srcnat",
                    100);

    private static final Map<String, Integer> BRIDGE =
            Map.of("dstnat", -300, "filter", -200, "out", 100, "srcnat", 300);

    /** Priority of connection tracking: chains before it see no state. */
    static final int TRACKING = -200;

    /** Priority from which on the kernel has put fragments together. */
    static final int REASSEMBLY = -400;

    private BaseChains() {}

    /** Refuses a hook that nft does not take. */
    static void check(Table table, Chain chain) throws RefusedException {
        Node declaration = chain.declaration();
        String hook = declaration.needText("hook");
        String type = declaration.needText("type");
        Set<String> hooks =
                switch (table.family()) {
                    case "arp" -> Set.of("input", "output");
                    case "netdev" -> Set.of("ingress", "egress");
                    case "inet" ->
                            Set.of(
                                    "prerouting",
                                    "input",
                                    "forward",
                                    "output",
                                    "postrouting",
                                    "ingress");
                    default -> Set.of("prerouting", "input", "forward", "output", "postrouting");
                };
        boolean typed =
                switch (type) {
                    case "filter" -> true;
                    case "nat" -> IP.contains(table.family()) && !hook.matches("forward|ingress");
                    case "route" -> IP.contains(table.family()) && hook.equals("output");
                    default -> false;
                };
        if (!typed) {
            throw declaration
                    .need("type")
                    .refused(
                            "is no type of a chain at %s of %s; write filter"
                                    .formatted(hook, table.family()));
        }
        if (!hooks.contains(hook)) {
            throw declaration
                    .need("hook")
                    .refused(
                            "is no hook of the family %s; write one of %s"
                                    .formatted(table.family(), String.join(", ", hooks)));
        }
        boolean device = hook.equals("ingress") || hook.equals("egress");
        if (!device && declaration.get("dev") != null) {
            throw declaration.need("dev").refused("stands at a hook of all devices; remove it");
        }
        int priority = priority(table, chain);
        if (type.equals("nat") && priority <= TRACKING) {
            throw declaration
                    .need("prio")
                    .refused("is no priority of a nat chain; write more than " + TRACKING);
        }
    }

    static boolean sameHook(Table table, Chain a, Chain b) throws RefusedException {
        return a.hook().equals(b.hook())
                && a.type().equals(b.type())
                && priority(table, a) == priority(table, b);
    }

    /** The priority, by number or name. */
    static int priority(Table table, Chain chain) throws RefusedException {
        Node priority = chain.declaration().need("prio");
        Node base = priority.get("base");
        if (base == null) {
            return named(table, chain, priority);
        }
        long sum = (long) named(table, chain, base) + Long.parseLong(priority.needText("offset"));
        boolean number = base.text().matches("-?[0-9]+");
        if (sum != (int) sum || number && !priority.text("offset").equals("0")) {
            throw base.refused(
                    "is no priority with an offset; write a number, or a name + or - one");
        }
        return (int) sum;
    }

    private static int named(Table table, Chain chain, Node priority) throws RefusedException {
        String text = priority.text();
        if (text.matches("-?[0-9]{1,10}")) {
            long number = Long.parseLong(text);
            if (number == (int) number) {
                return (int) number;
            }
        }
        if (text.matches("0[xX][0-9a-fA-F]{1,7}")) {
            return Integer.decode(text);
        }
        boolean bridge = table.family().equals("bridge");
        @Nullable Integer known = (bridge ? BRIDGE : PRIORITIES).get(text);
        boolean fits =
                switch (text) {
                    // newer versions of nft list these at output and input, too
                    case "dstnat" -> chain.hook().matches("prerouting|output");
                    case "srcnat" -> chain.hook().matches("postrouting|input");
                    case "out" -> chain.hook().equals("output");
                    case "raw", "mangle", "security" -> IP.contains(table.family());
                    default -> true;
                };
        if (known == null || !fits) {
            throw priority.refused(
                    "is no priority of a chain at %s of %s; write a number"
                            .formatted(chain.hook(), table.family()));
        }
        return known;
    }
}
