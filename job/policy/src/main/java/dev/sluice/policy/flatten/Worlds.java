package dev.sluice.policy.flatten;

import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Possible worlds of a packet: each has an interface, one of a class of names that no rule tells
 * apart, and holds or fails each condition that no header tells and that several rules ask for
 * alike. Conditions that may change from rule to rule, as a limit does, are settled in no world.
 *
 * <p>The first world has interfaces of which no rule asks, and fails each such condition.
 */
final class Worlds {
    /** Most worlds of a policy. */
    private static final int MOST = 256;

    /** Most rules of all worlds together. */
    private static final int MOST_RULES = 65_536;

    /** Conditions whose answer hangs on the packet, or on its sender, in whichever stage. */
    private static final Pattern OF_PACKET =
            Pattern.compile("-m (owner|string|eui64|ipv6header|hbh|dst|rt|mh) .*");

    /**
     * Conditions whose answer is the same for all rules of a stage; those of nft with the value
     * that is compared, which words of maps and masks lack.
     */
    private static final Pattern OF_STAGE =
            Pattern.compile(
                    "-m (policy|osf|cgroup) .*|-m devgroup (! )?--src-group \\S+"
                            + "|-m physdev (! )?--physdev-in \\S+"
                            + "|(meta (skuid|skgid|cgroup|iifgroup|iiftype|iifkind|ibrname|sdif|sdifname)"
                            + "|socket (transparent|wildcard)) (!= )?[\\w\".*/:-]+");

    private final Policy policy;
    private final Assumptions assumed;

    /** Uses of each condition that may be settled, those that count twice, and their stages. */
    private final Map<Condition, Integer> uses = new LinkedHashMap<>();

    private final Map<Condition, Set<String>> stages = new HashMap<>();
    private int incoming;
    private int outgoing;
    private int rules;

    private Worlds(Policy policy, Assumptions assumed) {
        this.policy = policy;
        this.assumed = assumed;
        Stage skips = policy.untracked();
        List<Stage> all = new ArrayList<>(policy.stages());
        if (skips != null) {
            all.add(skips);
        }
        for (Stage stage : all) {
            note(stage, stage.judges(), 2);
            stage.chains()
                    .forEach(
                            (chain, own) -> {
                                boolean base = chain.equals(stage.base());
                                rules += own.size();
                                for (PolicyRule rule : own) {
                                    boolean once = base && rule.effect() instanceof Effect.Decide;
                                    if (!(rule.effect() instanceof Effect.Continue)) {
                                        note(stage, rule.condition(), once ? 1 : 2);
                                    }
                                }
                            });
        }
    }

    /**
     * The worlds of the packets that come to a policy.
     *
     * @return none where each unknown condition is asked for once, or too many worlds are possible;
     *     of what makes too many, some is left out, and stays unknown to each rule anew
     */
    static List<Map<Condition, Boolean>> of(Policy policy, Assumptions assumed) {
        return new Worlds(policy, assumed).all();
    }

    /**
     * Notes the conditions of a rule that may be settled.
     *
     * @param weight 1 if the rule decides in the chain that packets enter: readings tell the truth
     *     about a condition that is asked for there alone
     */
    private void note(Stage stage, Condition condition, int weight) {
        Condition.forEachLeaf(
                stage.vantage().of(condition),
                one -> {
                    if (one instanceof Condition.Interface name && isOpen(name)) {
                        incoming += name.incoming() ? weight : 0;
                        outgoing += name.incoming() ? 0 : weight;
                    }
                    if (one instanceof Condition.Interface name && isOpen(name)
                            || one instanceof Condition.Unknown) {
                        uses.merge(one, weight, Integer::sum);
                        stages.computeIfAbsent(one, fresh -> new HashSet<>()).add(stage.name());
                    }
                });
    }

    private boolean isOpen(Condition.Interface name) {
        return (name.incoming() ? assumed.inInterface() : assumed.outInterface()) == null;
    }

    private List<Map<Condition, Boolean>> all() {
        List<List<Map<Condition, Boolean>>> choices = new ArrayList<>();
        if (incoming > 1) {
            choices.add(interfaces(true));
        }
        if (outgoing > 1 && !mayRouteAnew()) {
            choices.add(interfaces(false));
        }
        uses.entrySet().stream()
                .filter(use -> use.getKey() instanceof Condition.Unknown of && isSteady(of))
                .filter(use -> use.getValue() > 1)
                .sorted(Comparator.comparingInt(use -> -use.getValue()))
                .forEach(
                        use ->
                                choices.add(
                                        List.of(
                                                Map.of(use.getKey(), false),
                                                Map.of(use.getKey(), true))));
        int most = Math.min(MOST, MOST_RULES / Math.max(1, rules));
        List<Map<Condition, Boolean>> worlds = List.of(Map.of());
        for (List<Map<Condition, Boolean>> choice : choices) {
            if (worlds.size() * choice.size() <= most) {
                worlds = product(worlds, choice);
            }
        }
        return worlds.size() > 1 ? worlds : List.of();
    }

    /**
     * Returns whether stages ask for outgoing interfaces between which the kernel may route anew.
     */
    private boolean mayRouteAnew() {
        boolean sent = policy.stages().stream().anyMatch(stage -> !stage.vantage().incoming());
        Set<String> asking = new HashSet<>();
        stages.forEach(
                (one, of) -> {
                    if (one instanceof Condition.Interface name && !name.incoming()) {
                        asking.addAll(of);
                    }
                });
        return sent && asking.size() > 1;
    }

    private boolean isSteady(Condition.Unknown of) {
        return OF_PACKET.matcher(of.words()).matches()
                || OF_STAGE.matcher(of.words()).matches()
                        && stages.getOrDefault(of, Set.of()).size() == 1;
    }

    private static List<Map<Condition, Boolean>> product(
            List<Map<Condition, Boolean>> some, List<Map<Condition, Boolean>> others) {
        List<Map<Condition, Boolean>> all = new ArrayList<>();
        for (Map<Condition, Boolean> a : some) {
            for (Map<Condition, Boolean> b : others) {
                Map<Condition, Boolean> both = new LinkedHashMap<>(a);
                both.putAll(b);
                all.add(both);
            }
        }
        return all;
    }

    /** The truth of all conditions on an interface, for each class of names. */
    private List<Map<Condition, Boolean>> interfaces(boolean in) {
        List<Condition.Interface> asked = new ArrayList<>();
        for (Condition one : uses.keySet()) {
            if (one instanceof Condition.Interface name && name.incoming() == in) {
                asked.add(name);
            }
        }
        Set<Map<Condition, Boolean>> classes = new LinkedHashSet<>();
        classes.add(truths(asked, ""));
        for (Condition.Interface one : asked) {
            classes.add(truths(asked, one.name()));
        }
        return List.copyOf(classes);
    }

    /**
     * The truth of conditions on an interface.
     *
     * @param name its name; a final {@code +} stands for characters of which no rule asks
     */
    private static Map<Condition, Boolean> truths(List<Condition.Interface> asked, String name) {
        Map<Condition, Boolean> truths = new LinkedHashMap<>();
        asked.forEach(one -> truths.put(one, one.fits(name)));
        return truths;
    }
}
