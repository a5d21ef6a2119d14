package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.FirewallCoverage.Cell;
import dev.sluice.policy.kernel.GeneratedFirewall.Chain;
import dev.sluice.policy.kernel.GeneratedFirewall.Rule;
import dev.sluice.policy.kernel.GeneratedFirewall.Table;
import dev.sluice.policy.kernel.GeneratedFirewall.Target;
import dev.sluice.policy.kernel.GeneratedFirewall.TargetKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Draws policies of iptables over every match, with chains that call each other. */
final class RandomFirewall {
    private static final List<String> ARRIVING = List.of("PREROUTING", "INPUT", "FORWARD");

    private final ValuePool pool;
    private final List<MatchKind> kinds;
    private final List<MatchKind> rare;
    private final boolean tracks;
    private final FirewallCoverage coverage;

    /** Ways to rules that coverage wishes for, by their first chains. */
    private static final int WISHES = 4;

    private RandomFirewall(int version, Random random, FirewallCoverage coverage) {
        this.coverage = coverage;
        this.pool = new ValuePool(version, random);
        this.tracks = pool.chance(3);
        this.kinds =
                Arrays.stream(MatchKind.values())
                        .filter(kind -> kind.isOf(version) && (tracks || !kind.tracks()))
                        .toList();
        this.rare =
                tracks
                        ? List.of(MatchKind.CONNTRACK, MatchKind.STATE)
                        : version == 4
                                ? List.of(MatchKind.FRAGMENT)
                                : List.of(MatchKind.FRAGMENT_ID, MatchKind.FRAGMENT_HEADER);
    }

    /**
     * Draws a policy, with rules of cells that were reached less than others.
     *
     * @param version 4 or 6
     */
    static GeneratedFirewall draw(int version, Random random, FirewallCoverage coverage) {
        RandomFirewall drawn = new RandomFirewall(version, random, coverage);
        List<Table> tables = new ArrayList<>();
        if (drawn.tracks || drawn.pool.chance(3)) {
            tables.add(drawn.table("raw", List.of("PREROUTING", "OUTPUT")));
        }
        if (drawn.pool.chance(2)) {
            tables.add(
                    drawn.table(
                            "mangle",
                            List.of("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING")));
        }
        tables.add(drawn.table("filter", List.of("INPUT", "FORWARD", "OUTPUT")));
        return new GeneratedFirewall(version, drawn.pool.sets().save(), tables);
    }

    /** A chain, called from base chains of arriving packets alone or from all. */
    private record Place(String name, boolean base, boolean arriving) {}

    private Table table(String name, List<String> bases) {
        List<Place> places = new ArrayList<>();
        for (String base : bases) {
            places.add(new Place(base, true, ARRIVING.contains(base)));
        }
        for (int i = 0, count = 3 + pool.below(5); i < count; i++) {
            places.add(new Place("chain-" + i, false, pool.chance(2)));
        }
        List<Chain> chains = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            List<String> callable = new ArrayList<>();
            for (Place other : places.subList(i + 1, places.size())) {
                if (!other.base() && (place.arriving() || !other.arriving())) {
                    callable.add(other.name());
                }
            }
            List<Rule> rules = new ArrayList<>();
            for (int rule = 1 + pool.below(name.equals("filter") ? 6 : 3); rule > 0; rule--) {
                rules.add(rule(name, place, callable));
            }
            boolean drops = place.base() && name.equals("filter") && pool.chance(2);
            chains.add(
                    new Chain(
                            place.name(), !place.base() ? "-" : drops ? "DROP" : "ACCEPT", rules));
        }
        if (name.equals("filter")) {
            List<String> callable =
                    places.stream()
                            .filter(place -> !place.base() && !place.arriving())
                            .map(Place::name)
                            .toList();
            for (int wish = 0; wish < WISHES; wish++) {
                fulfil(coverage.wish(kinds, pool.random()), wish, callable, chains);
            }
        }
        return new Table(name, chains);
    }

    /** Adds the rule of a cell, and the chains that lead to it from the begin of a base chain. */
    private void fulfil(Cell cell, int number, List<String> callable, List<Chain> chains) {
        List<String> bases =
                switch (cell.kind()) {
                    case IN_DEVICE, MAC, PHYSICAL_DEVICE -> List.of("INPUT", "FORWARD");
                    case OUT_DEVICE -> List.of("FORWARD", "OUTPUT");
                    case FRAGMENT, FRAGMENT_HEADER, FRAGMENT_ID -> List.of("FORWARD");
                    default -> List.of("INPUT", "FORWARD", "OUTPUT");
                };
        String name = pool.one(bases);
        boolean arriving = !name.equals("OUTPUT");
        for (int depth = 0; depth <= cell.depth(); depth++) {
            Place place = new Place(name, depth == 0, arriving);
            String next = "wish-" + number + "-" + depth;
            boolean last = depth == cell.depth();
            TargetKind way = pool.chance(4) ? TargetKind.GOTO : TargetKind.JUMP;
            Rule rule =
                    last
                            ? wished(cell, callable, next)
                            : new Rule(matches(place, 1), Target.to(way, next));
            putFirst(rule, place, chains);
            if (last && rule.target().chain().equals(next)) {
                putFirst(
                        rule("filter", place, List.of()), new Place(next, false, arriving), chains);
            }
            name = next;
        }
    }

    private Rule wished(Cell cell, List<String> callable, String next) {
        Target target =
                switch (cell.deed()) {
                    case RETURN -> Target.of(TargetKind.RETURN);
                    case GOTO ->
                            Target.to(
                                    TargetKind.GOTO,
                                    callable.isEmpty() ? next : pool.one(callable));
                    case VERDICT ->
                            Target.of(
                                    pool.one(
                                            List.of(
                                                    TargetKind.ACCEPT,
                                                    TargetKind.ACCEPT,
                                                    TargetKind.DROP,
                                                    TargetKind.REJECT)));
                };
        List<GeneratedMatch> matches = new ArrayList<>();
        int[] protocols = cell.kind().protocols();
        if (protocols.length > 0) {
            matches.add(protocol(protocols[pool.below(protocols.length)]));
        }
        matches.add(cell.kind().draw(pool, cell.negated()));
        return new Rule(matches, target);
    }

    private static void putFirst(Rule rule, Place place, List<Chain> chains) {
        for (int i = 0; i < chains.size(); i++) {
            Chain chain = chains.get(i);
            if (chain.name().equals(place.name())) {
                List<Rule> rules = new ArrayList<>(chain.rules());
                rules.add(0, rule);
                chains.set(i, new Chain(chain.name(), chain.policy(), rules));
                return;
            }
        }
        chains.add(new Chain(place.name(), "-", List.of(rule)));
    }

    private static GeneratedMatch protocol(int number) {
        return new GeneratedMatch(
                MatchKind.PROTOCOL,
                false,
                "",
                "-p " + number,
                Formula.is(ProbeField.PROTOCOL, number),
                Formula.ALWAYS);
    }

    private Rule rule(String table, Place place, List<String> callable) {
        int draw = pool.below(100);
        if (draw < 45 && !callable.isEmpty()) {
            // Chains that are called close behind make deep calls.
            String chain =
                    callable.get(
                            Math.min(pool.below(callable.size()), pool.below(callable.size())));
            TargetKind kind = pool.chance(4) ? TargetKind.GOTO : TargetKind.JUMP;
            return new Rule(matches(place, pool.below(2)), Target.to(kind, chain));
        }
        Target target = target(table, draw);
        boolean stops = target.kind() != TargetKind.MARK && target.kind() != TargetKind.NONE;
        return new Rule(matches(place, stops ? 1 + pool.below(2) : pool.below(2)), target);
    }

    private Target target(String table, int draw) {
        if (draw < 60) {
            return Target.of(TargetKind.RETURN);
        }
        if (draw < 65) {
            return Target.of(pool.chance(2) ? TargetKind.NONE : TargetKind.LOG);
        }
        if (draw < 80 && table.equals("mangle")) {
            return Target.mark(pool.below(8), 1 + pool.below(7));
        }
        if (draw < 85 && table.equals("raw") && tracks) {
            return Target.of(TargetKind.NOTRACK);
        }
        if (draw < 80 && table.equals("filter") && pool.chance(2)) {
            return Target.of(TargetKind.REJECT);
        }
        return Target.of(
                pool.chance(table.equals("filter") ? 2 : 4) ? TargetKind.DROP : TargetKind.ACCEPT);
    }

    private List<GeneratedMatch> matches(Place place, int count) {
        List<GeneratedMatch> matches = new ArrayList<>();
        List<MatchKind> used = new ArrayList<>();
        int protocol = 0;
        while (matches.size() < count) {
            // Untracked packets are rare, and so are packets with a header of fragments.
            MatchKind kind = pool.chance(8) ? pool.one(rare) : pool.one(kinds);
            int[] protocols = kind.protocols();
            boolean again =
                    used.contains(kind)
                            || sharesModule(kind, used)
                            || kind.isOnlyOfArrivals() && !place.arriving();
            boolean wrongEnd =
                    place.base()
                            && (kind == MatchKind.IN_DEVICE && !place.arriving()
                                    || kind == MatchKind.OUT_DEVICE
                                            && List.of("PREROUTING", "INPUT")
                                                    .contains(place.name()));
            int wanted = protocols.length == 0 ? 0 : protocols[pool.below(protocols.length)];
            boolean otherProtocol =
                    protocol != 0
                            && (kind == MatchKind.PROTOCOL || wanted != 0 && wanted != protocol);
            if (again || wrongEnd || otherProtocol) {
                continue;
            }
            if (wanted != 0 && protocol == 0) {
                if (used.contains(MatchKind.PROTOCOL)) {
                    continue;
                }
                protocol = wanted;
                used.add(MatchKind.PROTOCOL);
                matches.add(0, protocol(wanted));
                count++;
            }
            used.add(kind);
            matches.add(kind.draw(pool, kind.isNegatable() && pool.chance(2)));
        }
        return matches;
    }

    /** Tells whether a rule has the module already, which takes one of its options alone. */
    private static boolean sharesModule(MatchKind kind, List<MatchKind> used) {
        return ALONE.stream()
                .anyMatch(of -> of.contains(kind) && used.stream().anyMatch(of::contains));
    }

    private static final List<Set<MatchKind>> ALONE =
            List.of(
                    Set.of(MatchKind.TTL, MatchKind.TTL_BORDER),
                    Set.of(MatchKind.FRAGMENT_HEADER, MatchKind.FRAGMENT_ID));
}
