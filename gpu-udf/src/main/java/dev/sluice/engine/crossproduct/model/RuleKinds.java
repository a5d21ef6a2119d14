package dev.sluice.engine.crossproduct.model;

import static dev.sluice.engine.crossproduct.model.CrossproductLimits.refused;

import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.prefix.PrefixSet;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Each rule as a source prefix, a destination prefix and a kind: what it asks of the other fields.
 * Immutable.
 */
public final class RuleKinds {
    /** Source prefixes and destination prefixes of all rules. */
    public final PrefixSet[] prefixes;

    /** Indices of each rule's source prefix and destination prefix there. */
    public final int[][] prefixOf;

    /** Kind of each rule. */
    public final int[] kindOf;

    /** A rule of each kind, for all addresses. */
    public final List<Rule> kinds = new ArrayList<>();

    /** The kind that holds wherever another one does, -1 if there is none. */
    public final int anyKind;

    /**
     * Divides rules.
     *
     * @param sourceWords header words of the source address, and
     * @param destinationWords those of the destination
     * @throws UnsupportedRulesException if an address mask is no prefix
     */
    public RuleKinds(RuleSet rules, int[] sourceWords, int[] destinationWords) {
        Prefix[][] own = new Prefix[2][rules.size()];
        kindOf = new int[rules.size()];
        Map<Match, Integer> numbers = new HashMap<>();
        for (int r = 0; r < rules.size(); r++) {
            Rule rule = rules.rules().get(r);
            Match match = rule.match();
            Prefix source = Prefix.of(match, sourceWords);
            Prefix destination = Prefix.of(match, destinationWords);
            if (source == null || destination == null) {
                throw refused(rule.line(), "an address mask is no prefix");
            }
            own[0][r] = source;
            own[1][r] = destination;
            Match others = match.without(sourceWords).without(destinationWords);
            kindOf[r] = number(others, rule, numbers, kinds);
        }
        anyKind = widest(kinds);
        prefixes = new PrefixSet[2];
        prefixOf = new int[2][];
        for (int a = 0; a < 2; a++) {
            PrefixSet all = new PrefixSet(Arrays.asList(own[a]));
            prefixes[a] = all;
            prefixOf[a] = Arrays.stream(own[a]).mapToInt(all::indexOf).toArray();
        }
    }

    /** The kind that holds wherever another one does, -1 if there is none. */
    private static int widest(List<Rule> kinds) {
        int widest = 0;
        for (int k = 1; k < kinds.size(); k++) {
            widest = covers(kinds.get(widest).match(), kinds.get(k).match()) ? widest : k;
        }
        for (Rule kind : kinds) {
            if (!covers(kinds.get(widest).match(), kind.match())) {
                return -1;
            }
        }
        return kinds.isEmpty() ? -1 : widest;
    }

    private static boolean covers(Match wide, Match narrow) {
        if (wide.hasRange()) {
            return wide.equals(narrow);
        }
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            int mask = wide.mask(w);
            if ((narrow.mask(w) & mask) != mask
                    || ((wide.value(w) ^ narrow.value(w)) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a rule holds for all addresses and ports. */
    public boolean catchesAll(int rule) {
        return prefixes[0].prefixes[prefixOf[0][rule]].length() == 0
                && prefixes[1].prefixes[prefixOf[1][rule]].length() == 0
                && (kinds.get(kindOf[rule]).match().usedWords() >>> HeaderWord.PORTS & 1) == 0;
    }

    private static int number(
            Match match, Rule rule, Map<Match, Integer> numbers, List<Rule> distinct) {
        Integer known = numbers.putIfAbsent(match, distinct.size());
        if (known != null) {
            return known;
        }
        distinct.add(new Rule(distinct.size(), 0, match, "", rule.line()));
        return distinct.size() - 1;
    }

    /**
     * Kinds divided into ranges of ports and the rest.
     *
     * @param ports what each kind asks of the ports
     * @param restOf number of what it asks of the rest
     * @param rests a rule of each of these
     */
    public record Services(PortRanges[] ports, int[] restOf, List<Rule> rests) {}

    /** The kinds as services; null if one asks of a port what is no range. */
    public @Nullable Services services() {
        PortRanges[] ports = new PortRanges[kinds.size()];
        int[] restOf = new int[kinds.size()];
        List<Rule> rests = new ArrayList<>();
        Map<Match, Integer> numbers = new HashMap<>();
        for (int k = 0; k < ports.length; k++) {
            Match match = kinds.get(k).match();
            PortRanges ranges = PortRanges.of(match);
            if (ranges == null) {
                return null;
            }
            ports[k] = ranges;
            restOf[k] = number(match.without(HeaderWord.PORTS), kinds.get(k), numbers, rests);
        }
        return new Services(ports, restOf, rests);
    }
}
