package dev.sluice.policy.nft;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.NatStages;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Translation;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Policies of a ruleset: the ways of a packet to the host, through it and from it, and each chain
 * by itself. The base chains of a way are its stages, by priority.
 */
final class NftPolicies implements TextReader.Reports {
    private static final Map<String, List<String>> WAYS = new LinkedHashMap<>();

    static {
        WAYS.put("input", List.of("prerouting", "input"));
        WAYS.put("forward", List.of("prerouting", "forward", "postrouting"));
        WAYS.put("output", List.of("output", "postrouting"));
    }

    private static final Effect.Decide DENIES = new Effect.Decide(Outcome.DENY);
    private static final Effect.Decide PERMITS = new Effect.Decide(Outcome.PERMIT);

    private final RuleReading in;
    private final boolean skip;
    private final Ruleset ruleset = new Ruleset();
    private final Map<Table, Map<String, List<PolicyRule>>> chains = new HashMap<>();

    /** The rule at the end of each chain: one for all hooks that lead through it. */
    private final IdentityHashMap<Chain, PolicyRule> ends = new IdentityHashMap<>();

    /** Rules that tell tracking to skip packets, by their base form. */
    private final Map<PolicyRule, Condition> untracking = new HashMap<>();

    /** Rules that translate destinations. */
    private final Map<PolicyRule, Translation> translations = new HashMap<>();

    /** Chains that packets come to before all others. */
    private final List<List<PolicyRule>> unjudged = new ArrayList<>();

    /** The mark in a chain that packets come to from anywhere. */
    private MarkState anyMark = MarkState.OLD;

    private boolean tracks4;
    private boolean tracks6;

    NftPolicies(RuleReading in, boolean skip) {
        this.in = in;
        this.skip = skip;
    }

    @Override
    public void refuse(RefusedException e) {
        in.defect(e.file(), e.line(), e.inLine());
    }

    @Override
    public boolean skips(RefusedException refused) {
        if (!skip) {
            refuse(refused);
            return false;
        }
        in.warn(refused.file(), refused.line(), "skipped: " + refused.inLine().getMessage());
        return true;
    }

    /** The policies that commands make, by the name that a user asks for each. */
    Map<String, Policy> of(List<Node> commands) {
        for (Node command : commands) {
            try {
                ruleset.run(command);
            } catch (RefusedException e) {
                refuse(e);
            }
        }
        if (in.hasDefects()) {
            return Map.of();
        }
        RulesetFacts facts = new RulesetFacts(ruleset);
        facts.unused().forEach(in::unused);
        tracks4 = facts.tracks("ip");
        tracks6 = facts.tracks("ip6");
        try {
            for (Table table : ruleset.tables()) {
                SetCheck.check(table);
                translate(table, facts);
            }
            return in.hasDefects() ? Map.of() : policies();
        } catch (RefusedException e) {
            refuse(e);
            return Map.of();
        }
    }

    private void translate(Table table, RulesetFacts facts) {
        Map<String, List<PolicyRule>> all = new LinkedHashMap<>();
        chains.put(table, all);
        for (Chain chain : table.chains().values()) {
            all.put(chain.name(), new ArrayList<>());
            for (Node rule : chain.rules()) {
                RuleTranslator translator = new RuleTranslator(table, rule, facts, in.zone());
                try {
                    translator.read();
                } catch (RefusedException e) {
                    if (!skips(e)) {
                        continue;
                    }
                    translator.skip(e.inLine().getMessage() == null ? "" : "a statement");
                }
                Condition untracked = translator.untracked();
                PolicyRule first = translator.addTo(all);
                Translation translation = translator.translation();
                PolicyRule translating = translator.translating();
                if (translation != null && translating != null) {
                    translations.put(translating, translation);
                }
                if (untracked != null) {
                    untracking.put(first, untracked);
                }
            }
        }
    }

    private static final Set<String> TRANSLATING = Set.of("snat", "dnat", "masquerade", "redirect");

    /** Looks for chains that bear on packets and are no stages, and tells of them. */
    private void lookAround() {
        for (Table table : ruleset.tables()) {
            for (Chain chain : table.chains().values()) {
                List<PolicyRule> rules = chains(table).get(chain.name());
                Spot at = chain.declaration().at();
                boolean elsewhere = versions(table).equals(Condition.NEVER);
                if (chain.isBase() && (elsewhere || chain.hook().equals("ingress"))) {
                    unjudged.addAll(reached(table, chain).values());
                    in.warn(
                            at.file(),
                            at.line(),
                            "is a chain at %s of %s, which judges no packet here: one that it drops comes to no other chain"
                                    .formatted(chain.hook(), table.family()));
                }
                boolean translates =
                        rules != null
                                && rules.stream()
                                        .anyMatch(rule -> TRANSLATING.contains(rule.action()));
                if (translates) {
                    in.warn(
                            at.file(),
                            at.line(),
                            "translates addresses: filters see destinations after dnat and sources before snat; judge a capture from where it has these, or add --nat");
                }
            }
        }
    }

    private Map<String, Policy> policies() throws RefusedException {
        lookAround();
        anyMark = MarkedWay.anywhere(chains.values());
        Map<String, Policy> policies = new LinkedHashMap<>();
        for (Map.Entry<String, List<String>> way : WAYS.entrySet()) {
            Policy policy = way(way.getKey(), way.getValue());
            if (policy != null) {
                policies.put(way.getKey(), policy);
            }
        }
        for (Table table : ruleset.tables()) {
            for (Chain chain : table.chains().values()) {
                alone(table, chain, policies);
            }
        }
        return policies;
    }

    /** Priorities at which the kernel translates destinations and sources. */
    private static final int DESTINATIONS = -100;

    private static final int SOURCES = 100;

    /** A base chain on a way, with its place in the kernel's order. */
    private record Step(Table table, Chain chain, int hook, int priority, int ofNat) {}

    /** All chains of nat run where the kernel translates, in the order of their priorities. */
    private static Step step(Table table, Chain chain, int hook) throws RefusedException {
        int own = BaseChains.priority(table, chain);
        if (!chain.type().equals("nat")) {
            return new Step(table, chain, hook, own, 0);
        }
        boolean destinations = chain.hook().matches("prerouting|output");
        return new Step(table, chain, hook, destinations ? DESTINATIONS : SOURCES, own);
    }

    private @Nullable Policy way(String name, List<String> hooks) throws RefusedException {
        List<Step> steps = new ArrayList<>();
        for (Table table : ruleset.tables()) {
            for (Chain chain : table.chains().values()) {
                int hook = hooks.indexOf(chain.hook());
                if (hook >= 0 && !table.isDormant() && !versions(table).equals(Condition.NEVER)) {
                    steps.add(step(table, chain, hook));
                }
            }
        }
        steps.sort(
                Comparator.comparingInt(Step::hook)
                        .thenComparingInt(Step::priority)
                        .thenComparingInt(Step::ofNat)
                        .thenComparing( // the chain that was made last comes first
                                step -> step.chain.number(), Comparator.reverseOrder()));
        List<Stage> stages = new ArrayList<>();
        List<Condition> judged = new ArrayList<>();
        @Nullable Stage untracked = null;
        List<Stage> translating = new ArrayList<>();
        List<Stage> behind = new ArrayList<>();
        MarkedWay marked = new MarkedWay(name.equals("output") ? List.of() : unjudged);
        for (Step step : steps) {
            boolean isNat = step.chain.type().equals("nat");
            Stage stage = marked.through(step.table, isNat, stage(step, name, untracked != null));
            boolean own = step.chain.hook().equals(name) && !isNat;
            if (own || stage.mayDeny() || in.keeps(stage)) {
                stages.add(stage);
                if (!translating.isEmpty()) {
                    behind.add(stage);
                }
                if (!judged.contains(versions(step.table))) {
                    judged.add(versions(step.table));
                }
            }
            if (translates(stage)) {
                translating.add(stage);
            }
            if (untracks(stage)) {
                if (untracked != null || !beforeTracking(step)) {
                    throw step.chain
                            .declaration()
                            .at()
                            .refused(
                                    "chain " + step.chain.name(),
                                    "holds notrack in a second chain, or behind connection tracking; keep one"
                                            + " chain of the priority raw with it");
                }
                if (stage.asksState(false)) {
                    throw step.chain
                            .declaration()
                            .at()
                            .refused(
                                    "chain " + step.chain.name(),
                                    "holds notrack and asks for ct state; ask in a chain of a later priority");
                }
                untracked = untracked(stage);
            }
        }
        return stages.isEmpty()
                ? null
                : new Policy(
                        name,
                        Conditions.any(judged),
                        stages,
                        untracked,
                        null,
                        translated(translating, stages, behind));
    }

    private boolean translates(Stage stage) {
        return stage.chains().values().stream()
                .flatMap(List::stream)
                .anyMatch(translations::containsKey);
    }

    /** The stages of a way by what the chains of nat make of a packet's destination. */
    private List<Policy.Translated> translated(
            List<Stage> translating, List<Stage> stages, List<Stage> behind) {
        List<Policy.Translated> all = new ArrayList<>();
        for (Stage nat : translating) {
            all.addAll(NatStages.of(nat, nat.judges(), translations, stages, behind::contains));
        }
        return all;
    }

    private Map<String, List<PolicyRule>> chains(Table table) {
        return Objects.requireNonNull(chains.get(table));
    }

    private static boolean beforeTracking(Step step) {
        return step.priority < BaseChains.TRACKING
                && step.chain.hook().matches("prerouting|output");
    }

    private Stage stage(Step step, String way, boolean exempted) {
        Chain chain = step.chain;
        boolean arriving = chain.hook().equals("prerouting");
        Condition reassembled =
                arriving && step.priority < BaseChains.REASSEMBLY
                        ? Condition.NEVER
                        : either(tracks4 || chain.hook().equals("input"), tracks6);
        Vantage.States states =
                !beforeTracking(step)
                        ? Vantage.States.TRACKED
                        : exempted ? Vantage.States.EXEMPTED : Vantage.States.UNSEEN;
        Vantage vantage =
                new Vantage(
                        !way.equals("output"),
                        !chain.hook().equals("input") && !arriving,
                        way.equals("forward") && !arriving,
                        reassembled,
                        states);
        Condition judges = versions(step.table);
        if (chain.type().equals("nat")) {
            judges = Conditions.all(judges, new Condition.InState(Set.of(ConnectionState.NEW)));
        }
        return stage(step.table, chain, vantage, judges);
    }

    private static Condition either(boolean four, boolean six) {
        if (four && six) {
            return Condition.ALWAYS;
        }
        return four ? Loads.V4 : six ? Loads.V6 : Condition.NEVER;
    }

    /** Packets that come to the chains of a table. */
    private static Condition versions(Table table) {
        return switch (table.family()) {
            case "ip" -> Loads.V4;
            case "ip6" -> Loads.V6;
            case "arp" -> Loads.IS_ARP;
            case "inet" ->
                    new Condition.In(
                            Field.IP_VERSION, ValueSet.of(Field.VERSION_4, Field.VERSION_6));
            default -> Condition.NEVER;
        };
    }

    private Stage stage(Table table, Chain chain, Vantage vantage, Condition judges) {
        return new Stage(
                table.words() + " " + chain.name(),
                chain.name(),
                reached(table, chain),
                ends.computeIfAbsent(chain, NftPolicies::end),
                vantage,
                judges);
    }

    private Map<String, List<PolicyRule>> reached(Table table, Chain chain) {
        Map<String, List<PolicyRule>> reached = new LinkedHashMap<>();
        Map<String, List<PolicyRule>> all = chains(table);
        Deque<String> left = new ArrayDeque<>(List.of(chain.name()));
        while (!left.isEmpty()) {
            String name = left.pop();
            List<PolicyRule> rules = Objects.requireNonNull(all.get(name));
            if (reached.put(name, rules) == null) {
                rules.stream().map(Stage::target).filter(Objects::nonNull).forEach(left::push);
            }
        }
        return reached;
    }

    /** The rule at the end of a chain: its policy. */
    private static PolicyRule end(Chain chain) {
        Node declaration = chain.declaration();
        Node stated = declaration.get("policyAt");
        Node place = stated == null ? declaration.get("hookAt") : stated;
        Node at = place == null ? declaration : place;
        Outcome outcome = chain.drops() ? Outcome.DENY : Outcome.PERMIT;
        String text =
                !chain.isBase()
                        ? ""
                        : at.isText() ? at.text() : "policy " + (chain.drops() ? "drop" : "accept");
        Origin origin = new Origin(at.at().file(), at.at().line(), chain.name(), "", text, null);
        return new PolicyRule(
                origin,
                Condition.ALWAYS,
                new Effect.Decide(outcome),
                chain.drops() ? "drop" : chain.isBase() ? "accept" : "return");
    }

    /** Adds the policy of one chain, by its name, or by table and name where that is taken. */
    private void alone(Table table, Chain chain, Map<String, Policy> policies) {
        Condition judges = versions(table);
        if (judges.equals(Condition.NEVER)) {
            return;
        }
        String name = chain.name();
        if (policies.containsKey(name) || WAYS.containsKey(name.toLowerCase(Locale.ROOT))) {
            name = table.family() + "/" + table.name() + "/" + name;
        }
        Vantage anywhere =
                new Vantage(true, true, false, either(tracks4, tracks6), Vantage.States.TRACKED)
                        .marked(anyMark);
        Stage stage = stage(table, chain, anywhere, Condition.ALWAYS);
        policies.put(name, new Policy(name, judges, List.of(stage), null));
    }

    private boolean untracks(Stage stage) {
        return stage.chains().values().stream()
                .flatMap(List::stream)
                .anyMatch(untracking::containsKey);
    }

    /** The stage that permits what connection tracking skips. */
    private Stage untracked(Stage from) {
        Map<String, List<PolicyRule>> all = new LinkedHashMap<>();
        from.chains()
                .forEach(
                        (name, rules) -> {
                            List<PolicyRule> own = new ArrayList<>();
                            if (name.equals(from.base())) {
                                Condition others = Condition.not(from.judges());
                                own.add(new PolicyRule(from.end().origin(), others, DENIES, ""));
                            }
                            for (PolicyRule rule : rules) {
                                Condition skipped = untracking.get(rule);
                                if (skipped != null) {
                                    own.add(
                                            new PolicyRule(
                                                    rule.origin(), skipped, PERMITS, "notrack"));
                                }
                                own.add(
                                        rule.effect() instanceof Effect.Decide
                                                ? rule.with(DENIES)
                                                : rule);
                            }
                            all.put(name, own);
                        });
        return new Stage(from.name(), from.base(), all, from.end().with(DENIES), from.vantage());
    }
}
