package dev.sluice.policy.iptables;

import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.iptables.SaveFile.Table;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkFlow;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.NatStages;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Policies of the hooks that a packet may take through the tables: to the host, through it, from
 * it. The table nat decides nothing, and is no stage.
 */
final class Hooks {
    /** Stages of a way through the host. */
    private record Way(String hook, List<String> stages) {}

    private static final List<Way> WAYS =
            List.of(
                    new Way(
                            "INPUT",
                            List.of(
                                    "raw PREROUTING",
                                    "mangle PREROUTING",
                                    "nat PREROUTING",
                                    "mangle INPUT",
                                    "filter INPUT",
                                    "security INPUT",
                                    "nat INPUT")),
                    new Way(
                            "FORWARD",
                            List.of(
                                    "raw PREROUTING",
                                    "mangle PREROUTING",
                                    "nat PREROUTING",
                                    "mangle FORWARD",
                                    "filter FORWARD",
                                    "security FORWARD",
                                    "mangle POSTROUTING",
                                    "nat POSTROUTING")),
                    new Way(
                            "OUTPUT",
                            List.of(
                                    "raw OUTPUT",
                                    "mangle OUTPUT",
                                    "nat OUTPUT",
                                    "filter OUTPUT",
                                    "security OUTPUT",
                                    "mangle POSTROUTING",
                                    "nat POSTROUTING")));

    /** Chains in which nat gives packets other sources. */
    private static final Set<String> SOURCES = Set.of("nat INPUT", "nat POSTROUTING");

    private static final Set<String> TRANSLATING =
            Set.of("DNAT", "SNAT", "MASQUERADE", "REDIRECT", "NETMAP");

    private final RuleReading in;
    private final Map<String, Table> tables;
    private final Condition version;
    private final boolean v6;

    /** True if the kernel tracks connections: it puts fragments together before all rules. */
    private final boolean tracks;

    private Hooks(RuleReading in, Map<String, Table> tables, boolean v6, boolean tracks) {
        this.in = in;
        this.tables = tables;
        this.v6 = v6;
        this.tracks = tracks;
        version = is(Field.IP_VERSION, v6 ? Field.VERSION_6 : Field.VERSION_4);
    }

    /** Reads a text to its end. */
    static Map<String, Policy> policies(RuleReading in, boolean v6, boolean skip)
            throws IOException {
        SaveFile file = new SaveFile(in, v6, skip);
        Map<String, Table> tables = file.read();
        return in.hasDefects() ? Map.of() : new Hooks(in, tables, v6, file.tracks()).policies();
    }

    private Map<String, Policy> policies() {
        sayTranslation();
        Map<String, Policy> policies = new LinkedHashMap<>();
        for (Way way : WAYS) {
            List<Stage> stages = new ArrayList<>();
            MarkState marks = MarkState.OLD;
            List<Stage> setting = new ArrayList<>();
            Stage nat = null;
            for (String name : way.stages) {
                Stage unmarked = stage(way.hook, name);
                boolean sources = SOURCES.contains(name);
                if (unmarked == null || sources && !in.keeps(unmarked)) {
                    continue;
                }
                Stage stage = unmarked.behind(marks, setting);
                MarkState behind = MarkFlow.behind(stage, marks);
                boolean isNat = name.startsWith("nat ");
                if (stage.setsMark()) {
                    Stage alone = stage.with(stage.vantage());
                    setting.add(isNat ? firstPackets(alone) : alone);
                }
                if (isNat) {
                    nat = sources ? nat : stage;
                    if (in.keeps(stage)) {
                        stages.add(firstPackets(stage));
                    }
                    marks = marks.behindNat(behind);
                    continue;
                }
                marks = behind;
                if (stage.mayDeny() || name.startsWith("filter ") || in.keeps(stage)) {
                    stages.add(stage);
                }
            }
            if (!stages.isEmpty()) {
                policies.put(
                        way.hook,
                        new Policy(
                                way.hook,
                                version,
                                stages,
                                untracked(way.hook),
                                null,
                                translated(way.hook, nat, stages)));
            }
        }
        Table filter = tables.get("filter");
        if (filter != null) {
            boolean isMarked =
                    tables.values().stream()
                            .anyMatch(each -> Stage.markBits(each.chains().values()) != 0);
            Vantage anywhere =
                    new Vantage(true, true, false, tracks, Vantage.States.TRACKED)
                            .marked(isMarked ? MarkState.LOST : MarkState.OLD);
            for (String chain : filter.userChains()) {
                Origin origin = new Origin(in.file(), 0, chain, "", "", null);
                Effect passes = new Effect.Decide(Outcome.PERMIT);
                PolicyRule end = new PolicyRule(origin, Condition.ALWAYS, passes, "RETURN");
                policies.put(
                        chain,
                        new Policy(
                                chain,
                                version,
                                List.of(stage(filter, chain, chain, end, anywhere)),
                                null));
            }
        }
        return policies;
    }

    /** A stage that first packets of connections alone come to. */
    private static Stage firstPackets(Stage nat) {
        return new Stage(
                nat.name(),
                nat.base(),
                nat.chains(),
                nat.end(),
                nat.vantage(),
                new Condition.InState(Set.of(ConnectionState.NEW)),
                nat.before());
    }

    private @Nullable Stage stage(String way, String name) {
        int blank = name.indexOf(' ');
        Table table = tables.get(name.substring(0, blank));
        if (table == null) {
            return null;
        }
        String chain = name.substring(blank + 1);
        PolicyRule end = table.ends().get(chain);
        return end == null
                ? null
                : stage(table, name, chain, end, vantage(way, table.name(), chain));
    }

    private Vantage vantage(String way, String table, String chain) {
        boolean arriving = chain.equals("PREROUTING");
        return new Vantage(
                !way.equals("OUTPUT"),
                !chain.equals("INPUT") && !arriving,
                way.equals("FORWARD") && !arriving,
                tracks || !v6 && chain.equals("INPUT"),
                states(table));
    }

    private Vantage.States states(String table) {
        if (!table.equals("raw")) {
            return Vantage.States.TRACKED;
        }
        boolean exempts = !Objects.requireNonNull(tables.get(table)).untracking().isEmpty();
        return exempts ? Vantage.States.EXEMPTED : Vantage.States.UNSEEN;
    }

    private static Stage stage(
            Table table, String name, String chain, PolicyRule end, Vantage vantage) {
        Map<String, List<PolicyRule>> reached = new LinkedHashMap<>();
        reach(chain, table.chains(), reached);
        return new Stage(name, chain, reached, end, vantage);
    }

    /** Adds the chains that packets come to from a chain on. */
    private static void reach(
            String from,
            Map<String, List<PolicyRule>> chains,
            Map<String, List<PolicyRule>> reached) {
        Deque<String> left = new ArrayDeque<>(List.of(from));
        while (!left.isEmpty()) {
            String chain = left.pop();
            List<PolicyRule> rules = chains.get(chain);
            if (rules != null && reached.put(chain, rules) == null) {
                rules.stream().map(Stage::target).filter(Objects::nonNull).forEach(left::push);
            }
        }
    }

    /** The stage that permits what connection tracking skips; null: it skips nothing. */
    private @Nullable Stage untracked(String hook) {
        Table raw = tables.get("raw");
        String chain = hook.equals("OUTPUT") ? "OUTPUT" : "PREROUTING";
        if (raw == null || raw.untracking().isEmpty()) {
            return null;
        }
        Effect no = new Effect.Decide(Outcome.DENY);
        Effect yes = new Effect.Decide(Outcome.PERMIT);
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        raw.chains()
                .forEach(
                        (name, rules) ->
                                chains.put(
                                        name,
                                        rules.stream()
                                                .map(
                                                        rule ->
                                                                raw.untracking().contains(rule)
                                                                        ? rule.with(yes)
                                                                        : tracks(rule)
                                                                                ? rule.with(no)
                                                                                : rule)
                                                .toList()));
        PolicyRule end = Objects.requireNonNull(raw.ends().get(chain)).with(no);
        return new Stage("raw " + chain, chain, chains, end, vantage(hook, "raw", chain));
    }

    /** Returns whether tracking is settled for the packets of a rule: later ones do not count. */
    private static boolean tracks(PolicyRule rule) {
        return rule.effect() instanceof Effect.Decide || rule.action().equals("CT");
    }

    /** The stages of a hook by what the table nat makes of a packet's destination. */
    private List<Policy.Translated> translated(
            String hook, @Nullable Stage asked, List<Stage> stages) {
        String chain = hook.equals("OUTPUT") ? "OUTPUT" : "PREROUTING";
        Table nat = tables.get("nat");
        if (nat == null || asked == null) {
            return List.of();
        }
        Condition first = new Condition.InState(Set.of(ConnectionState.NEW));
        return NatStages.of(
                asked,
                first,
                nat.translations(),
                stages,
                stage -> !stage.name().matches("(raw|mangle|nat) " + chain));
    }

    private void sayTranslation() {
        Table nat = tables.get("nat");
        if (nat == null) {
            return;
        }
        for (List<PolicyRule> rules : nat.chains().values()) {
            for (PolicyRule rule : rules) {
                if (TRANSLATING.contains(rule.action())) {
                    in.warn(
                            rule.origin().line(),
                            "translates addresses (%s): the filter sees destinations after DNAT and sources before SNAT; judge a capture from where it has these, or add --nat"
                                    .formatted(rule.action()));
                    return;
                }
            }
        }
    }
}
