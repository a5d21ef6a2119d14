package dev.sluice.policy.convert;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** A policy as {@code nft -f} reads it: a table with a base chain for each stage. */
final class NftText {
    private static final String FORMAT = "nft";
    private static final String REMEDY = "; convert it --to json, which says everything";

    /** Condition, in words, that nft's importer adds to each match on a transport header. */
    private static final String CUT = "a header that is cut or elsewhere";

    /** Condition, in words, that importers add to each match on ports of iptables-nft. */
    private static final String LATER_PORTS = "the ports of a later fragment";

    private static final String NAME = "[A-Za-z][\\w.-]*[A-Z0-9_-][\\w.-]*";

    private final Policy policy;
    private final boolean wholePackets;
    private final List<String> lines = new ArrayList<>();
    private final Set<String> tables = new HashSet<>();

    /** Families of tables that a rule switches tracking on for. */
    private final Set<String> tracking = new HashSet<>();

    private final boolean asksStates;

    /** True within the chains that tell tracking to skip packets. */
    private boolean untracks;

    private NftText(Policy policy, boolean wholePackets) {
        this.policy = policy;
        this.wholePackets = wholePackets;
        asksStates = policy.stages().stream().allMatch(stage -> stage.asksState(false));
    }

    /**
     * The lines.
     *
     * @throws SluiceException naming the rule that nft cannot say, and why
     */
    static List<String> of(Policy policy, boolean wholePackets) {
        NftText text = new NftText(policy, wholePackets);
        text.print();
        return text.lines;
    }

    private void print() {
        PolicyRule first = policy.stages().get(0).end();
        lines.add(
                "# By Sluice from %s, policy %s; load it by nft -f"
                        .formatted(first.origin().file(), policy.name()));
        NftHooks hooks;
        try {
            hooks = NftHooks.of(policy);
        } catch (UnsayableException e) {
            throw refused(first, String.valueOf(e.getMessage()));
        }
        for (NftHooks.Placed placed : hooks.stages()) {
            if (placed.stage().asksMark()
                    && !placed.stage().vantage().marks().equals(MarkState.OLD)) {
                throw refused(
                        placed.stage().end(), "rules of its table ask for marks of other tables");
            }
            print(placed);
        }
    }

    private SluiceException refused(PolicyRule rule, String why) {
        return ConvertedRule.refused(rule, FORMAT, why + (why.contains("; add ") ? "" : REMEDY));
    }

    private void print(NftHooks.Placed placed) {
        Stage stage = placed.stage();
        untracks = placed.untracks();
        Map<String, String> names = names(stage);
        String base = names.getOrDefault(stage.base(), stage.base());
        lines.add("table %s %s {".formatted(placed.family(), unused(word(stage.name()), tables)));
        if (placed.tracks() && !asksStates && tracking.add(placed.family())) {
            lines.add("\t# A rule on connections has the kernel put fragments together first.");
            lines.add("\tchain " + unused("tracking", new HashSet<>(names.values())) + " {");
            lines.add("\t\tct state new");
            lines.add("\t}");
        }
        names.forEach(
                (chain, name) -> {
                    lines.add("\tchain " + name + " {");
                    if (name.equals(base)) {
                        lines.add(
                                "\t\ttype filter hook %s priority %d; policy %s;"
                                        .formatted(
                                                placed.hook(),
                                                placed.priority(),
                                                placed.drops() ? "drop" : "accept"));
                    }
                    for (PolicyRule rule : stage.chains().getOrDefault(chain, List.of())) {
                        print(rule, placed, names);
                    }
                    lines.add("\t}");
                });
        lines.add("}");
    }

    /** Names of the chains that a packet may come to, the base chain first. */
    private static Map<String, String> names(Stage stage) {
        Map<String, String> names = new LinkedHashMap<>();
        Set<String> used = new HashSet<>();
        List<String> left = new ArrayList<>(List.of(stage.base()));
        while (!left.isEmpty()) {
            String chain = left.remove(left.size() - 1);
            if (names.containsKey(chain)) {
                continue;
            }
            names.put(chain, unused(word(chain), used));
            for (PolicyRule rule : stage.chains().getOrDefault(chain, List.of())) {
                String target = Stage.target(rule);
                if (target != null) {
                    left.add(target);
                }
            }
        }
        return names;
    }

    /** A name that nft takes, and for no keyword. */
    private static String word(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9_.-]", "_");
        return plain.matches(NAME) ? plain : "c_" + plain;
    }

    private static String unused(String name, Set<String> used) {
        String free = name;
        for (int i = 2; !used.add(free); i++) {
            free = name + "_" + i;
        }
        return free;
    }

    private void print(PolicyRule rule, NftHooks.Placed placed, Map<String, String> names) {
        String verdict = verdict(rule, placed, names);
        if (verdict.isEmpty()) {
            return; // it bears on no packet's fate
        }
        Set<String> all = new LinkedHashSet<>();
        try {
            List<Conjunct> conjuncts = Conjunct.of(rule.condition());
            boolean cut = conjuncts.stream().anyMatch(one -> one.unknown().contains(CUT));
            for (Conjunct one : conjuncts) {
                if (NftMatch.leavesNoMark(one, conjuncts)) {
                    throw new UnsayableException("nft does not tell a mark of 0 from no mark");
                }
                if (!isSaidByPorts(one, conjuncts) && !NftMatch.isSaidByMark(one, conjuncts)) {
                    all.addAll(NftMatch.lines(one, placed.versions(), wholePackets || cut));
                }
            }
            if (all.size() > 1 && all.stream().anyMatch(line -> line.contains(" limit rate "))) {
                throw new UnsayableException("it takes several lines, of which each has a limit");
            }
        } catch (Conjunct.TooManyException e) {
            throw refused(rule, "it takes too many lines; split it");
        } catch (UnsayableException e) {
            throw refused(rule, String.valueOf(e.getMessage()));
        }
        lines.add(
                "\t\t# %s:%d: %s"
                        .formatted(
                                rule.origin().file(),
                                rule.origin().line(),
                                rule.origin().text().replaceAll("\\s+", " ")));
        all.forEach(matches -> lines.add("\t\t" + (matches + " " + verdict).strip()));
    }

    /** Returns whether a match on a transport header says a conjunct, beside another one. */
    private static boolean isSaidByPorts(Conjunct one, List<Conjunct> all) {
        if (one.unknown().equals(List.of(LATER_PORTS))) {
            return true;
        }
        BigInteger present = one.single(Field.PORTS_PRESENT);
        return one.unknown().equals(List.of(CUT))
                && present != null
                && present.signum() == 0
                && all.stream()
                        .anyMatch(
                                other ->
                                        other.unknown().isEmpty()
                                                && other.single(Field.PORTS_PRESENT) != null
                                                && isOfProtocols(other, one));
    }

    private static boolean isOfProtocols(Conjunct a, Conjunct b) {
        ValueSet protocols = a.of(Field.IP_PROTO);
        return protocols != null && protocols.equals(b.of(Field.IP_PROTO));
    }

    private String verdict(PolicyRule rule, NftHooks.Placed placed, Map<String, String> names) {
        Effect effect = rule.effect();
        String action = rule.action().toLowerCase(Locale.ROOT);
        String target = Stage.target(rule);
        if (target != null) {
            return (effect instanceof Effect.Jump ? "jump " : "goto ") + names.get(target);
        }
        if (effect instanceof Effect.Return) {
            return "return";
        }
        if (effect instanceof Effect.Mark && policy.stages().stream().anyMatch(Stage::asksMark)) {
            throw refused(rule, "it sets a mark that other rules ask for");
        }
        if (!(effect instanceof Effect.Decide decide)) {
            return "";
        }
        if (untracks && action.equals("ct") && decide.outcome() == Outcome.DENY) {
            throw refused(rule, "it keeps later rules from exempting packets from tracking");
        }
        if (untracks) {
            return untracking(decide, action);
        }
        boolean answers = action.equals("reject") && !placed.hook().equals("prerouting");
        return decide.outcome() == Outcome.PERMIT ? "accept" : answers ? "reject" : "drop";
    }

    /** A verdict in a stage that permits what tracking skips; its actions tell the rest. */
    private static String untracking(Effect.Decide decide, String action) {
        if (decide.outcome() == Outcome.PERMIT) {
            return "notrack";
        }
        return action.isEmpty() ? "" : action.equals("accept") ? "accept" : "drop";
    }
}
