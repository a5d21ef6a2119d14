package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.NftMatches.Drawn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Ruleset of nftables, drawn at random: tables of several families, base chains of several
 * priorities on a hook, chains that call each other, verdict maps and sets.
 */
final class RandomRuleset {
    private static final List<String> HOOKS =
            List.of("prerouting", "input", "forward", "output", "postrouting");
    private static final List<String> MAIN = List.of("input", "forward", "output");

    private static final String TRANSPORT =
            ".*\\b(tcp|udp|icmp|icmpv6|th|l4proto|ip protocol|nexthdr)\\b.*";

    private static final int TRIES = 4;

    /** Draws of a match until one is of the kind that is wished. */
    private static final int WISH_TRIES = 200;

    /** Draws of a match that alone is wished of a ruleset. */
    private static final int ONLY_WISH_TRIES = 20_000;

    /** Number before that of the first chain of the ladder. */
    private static final int LADDER = 5;

    private final Random random;
    private final RulesetCoverage coverage;
    private final ValuePool four;
    private final ValuePool six;
    private final boolean tracks;

    /** True if rules set marks and often ask for them. */
    private final boolean marks;

    private final StringBuilder text = new StringBuilder();
    private final List<Aim> aims = new ArrayList<>();

    /** Rules that were drawn for what packets lack. */
    private final List<Aim> wished = new ArrayList<>();

    /** Matches that a packet must meet to meet a rule, and the rule's chain. */
    private record Aim(List<Drawn> matches, String chain) {}

    /** Calls of chains by rules, with what these ask. */
    private record Call(String from, String to, List<Drawn> matches) {}

    private final List<Call> calls = new ArrayList<>();

    /**
     * Draws a ruleset.
     *
     * @param coverage tells which matches decided seldom, and are drawn more often
     */
    RandomRuleset(Random random, RulesetCoverage coverage) {
        this(random, coverage, random.nextInt(4) == 0);
    }

    /**
     * Draws a ruleset.
     *
     * @param marks whether rules set marks
     */
    RandomRuleset(Random random, RulesetCoverage coverage, boolean marks) {
        this.random = random;
        this.marks = marks;
        this.coverage = coverage;
        this.four = new ValuePool(4, random);
        this.six = new ValuePool(6, random);
        this.tracks = random.nextInt(3) == 0;
        List<String> families =
                List.of(
                                List.of("inet"),
                                List.of("ip", "ip6"),
                                List.of("inet", "ip"),
                                List.of("ip6", "inet", "ip"))
                        .get(random.nextInt(4));
        for (int i = 0; i < families.size(); i++) {
            table(families.get(i), "t" + i);
        }
    }

    /** Draws a ruleset of one table, in which a rule of a cell alone decides. */
    RandomRuleset(Random random, RulesetCoverage coverage, RulesetCoverage.Cell cell) {
        this.random = random;
        this.marks = false;
        this.coverage = coverage;
        this.four = new ValuePool(4, random);
        this.six = new ValuePool(6, random);
        this.tracks = cell.match().endsWith("ct state");
        NftMatches matches = new NftMatches("inet", four, six, tracks);
        NftVerdictMaps maps = new NftVerdictMaps(random, "inet", tracks);
        String hook = MAIN.get(random.nextInt(MAIN.size()));
        StringBuilder chains = new StringBuilder("chain " + end("t0") + " {\n}\n");
        String at = "t0" + hook;
        String base = "type filter hook %s priority filter; policy %s;\n";
        String begin = base.formatted(hook, random.nextBoolean() ? "drop" : "accept");
        for (int depth = 0; depth < cell.depth(); depth++) {
            String below = "t0c" + (LADDER + 1 + depth);
            chains.insert(0, "chain %s {\n%sjump %s\n}\n".formatted(at, begin, below));
            calls.add(new Call(at, below, List.of()));
            at = below;
            begin = "";
        }
        chains.append("chain %s {\n%s".formatted(at, begin));
        wish(chains, matches, maps, at, cell, "t0", ONLY_WISH_TRIES);
        chains.append("}\n");
        table("inet", "t0", matches, maps, chains);
    }

    String text() {
        return text.toString();
    }

    /** Returns whether a chain is one that others call. */
    static boolean isCalled(String chain) {
        return chain.matches("t\\dc\\d");
    }

    boolean tracks() {
        return tracks;
    }

    private void table(String family, String name) {
        NftMatches matches = new NftMatches(family, four, six, tracks);
        NftVerdictMaps maps = new NftVerdictMaps(random, family, tracks);
        StringBuilder chains = new StringBuilder();
        List<String> called = new ArrayList<>();
        int count = 3 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            called.add(name + "c" + i);
        }
        for (int i = count - 1; i >= 0; i--) {
            chains.append("chain ").append(called.get(i)).append(" {\n");
            rules(chains, matches, maps, called.get(i), called.subList(i + 1, count), false);
            chains.append("}\n");
        }
        String ladder = ladder(chains, matches, name);
        String climbed = MAIN.get(random.nextInt(MAIN.size()));
        int base = 0;
        for (String hook : HOOKS) {
            boolean main = MAIN.contains(hook);
            for (int i = main ? 1 + random.nextInt(2) : random.nextInt(3) / 2; i > 0; i--) {
                String chain = name + hook + base++;
                boolean drops = main && random.nextInt(3) == 0;
                chains.append(
                        "chain %s {\ntype filter hook %s priority %s; policy %s;\n"
                                .formatted(chain, hook, priority(hook), drops ? "drop" : "accept"));
                if (hook.equals(climbed)) {
                    chains.append("jump ").append(ladder).append('\n');
                    calls.add(new Call(chain, ladder, List.of()));
                    wish(chains, matches, chain, 0, name);
                    climbed = "";
                }
                rules(chains, matches, maps, chain, called, main);
                chains.append("}\n");
            }
        }
        if (tracks && name.equals("t0") && random.nextInt(2) == 0) {
            chains.append(
                    "chain %sraw {\ntype filter hook prerouting priority raw;\n".formatted(name));
            Drawn which = matches.draw(true);
            while (which.text().contains("ct state")) {
                which = matches.draw(true); // no packet has a state there
            }
            chains.append(which.text()).append(" notrack\n}\n");
        }
        table(family, name, matches, maps, chains);
    }

    private void table(
            String family,
            String name,
            NftMatches matches,
            NftVerdictMaps maps,
            StringBuilder chains) {
        text.append("table %s %s {\n".formatted(family, name));
        List<String> sets = new ArrayList<>(matches.sets());
        sets.addAll(maps.named());
        sets.forEach(
                set ->
                        text.append(set.replace("; ", "\n").replace("{ typeof", "{\ntypeof"))
                                .append("\n"));
        text.append(chains).append("}\n");
    }

    /**
     * Adds chains that call each other down to the deepest level that is counted, each with a rule
     * of what packets lack there; returns the first one.
     */
    private String ladder(StringBuilder to, NftMatches matches, String table) {
        to.append("chain ").append(end(table)).append(" {\n}\n");
        String below = "";
        for (int depth = RulesetCoverage.DEEPEST; depth > 0; depth--) {
            String chain = table + "c" + (LADDER + depth);
            to.append("chain ").append(chain).append(" {\n");
            if (!below.isEmpty()) {
                to.append("jump ").append(below).append('\n');
                calls.add(new Call(chain, below, List.of()));
            }
            wish(to, matches, chain, depth, table);
            to.append("}\n");
            below = chain;
        }
        return below;
    }

    private static String end(String table) {
        return table + "c9";
    }

    /** Adds a rule whose match decides what it seldom decided at a depth. */
    private void wish(StringBuilder to, NftMatches matches, String chain, int depth, String table) {
        wish(to, matches, null, chain, coverage.wish(depth, random), table, WISH_TRIES);
    }

    private void wish(
            StringBuilder to,
            NftMatches matches,
            @Nullable NftVerdictMaps maps,
            String chain,
            RulesetCoverage.Cell cell,
            String table,
            int tries) {
        if (maps != null && cell.match().equals(RulesetCoverage.VERDICT_MAP)) {
            to.append(map(maps, chain, List.of(), List.of())).append('\n');
            wished.add(aims.remove(aims.size() - 1));
            return;
        }
        int sets = matches.sets().size();
        for (int i = 0; i < tries; i++) {
            matches.sets().subList(sets, matches.sets().size()).clear();
            Drawn drawn = matches.draw(true);
            if (RulesetCoverage.matches(drawn.text() + " ").contains(cell.match())) {
                String deed =
                        switch (cell.deed()) {
                            case VERDICT -> random.nextBoolean() ? "accept" : "drop";
                            case RETURN -> "return";
                            case GOTO -> "goto " + end(table);
                        };
                to.append(drawn.text()).append(' ').append(deed).append('\n');
                wished.add(new Aim(List.of(drawn), chain));
                return;
            }
        }
    }

    private String priority(String hook) {
        List<String> names =
                new ArrayList<>(
                        List.of(
                                "filter",
                                "filter - 10",
                                "filter + 7",
                                "mangle",
                                "security",
                                "-17",
                                "42",
                                "raw + 5"));
        if (hook.equals("postrouting")) {
            names.add("srcnat");
        }
        return names.get(random.nextInt(names.size()));
    }

    private void rules(
            StringBuilder to,
            NftMatches matches,
            NftVerdictMaps maps,
            String chain,
            List<String> callable,
            boolean rejects) {
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            List<Drawn> drawn = matches(matches);
            aims.add(new Aim(drawn, chain));
            for (Drawn one : drawn) {
                to.append(one.text()).append(' ');
            }
            if (marks) {
                to.append(mark());
            }
            to.append(verdict(maps, chain, callable, rejects, drawn)).append('\n');
        }
    }

    /** Draws statements that ask for the mark, and set it. */
    private String mark() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            int bits = random.nextInt(8);
            String change =
                    switch (random.nextInt(16)) {
                        case 0, 1 -> "set " + bits;
                        case 2, 3 -> "set mark or " + bits;
                        case 4 -> "set mark and " + bits;
                        case 5 -> "set mark xor " + bits;
                        case 6 -> "set mark and 6 xor " + bits;
                        case 7 -> tracks ? "set ct mark or " + bits : "set 1";
                        case 8 -> "set meta length map { 0-100 : 1, 101-2000 : 2 }";
                        case 9, 10 -> String.valueOf(bits);
                        case 11 -> "!= " + bits;
                        case 12, 13 -> "and " + (1 << random.nextInt(3)) + " == 0";
                        default -> "and " + (bits | 1) + " == 1";
                    };
            text.append("meta mark ").append(change).append(' ');
        }
        return text.toString();
    }

    /** Draws some matches, and takes the one that decided most seldom. */
    private Drawn rare(NftMatches matches) {
        Drawn rarest = matches.draw(true);
        for (int i = random.nextInt(TRIES); i > 0; i--) {
            Drawn other = matches.draw(true);
            rarest =
                    coverage.rarest(other.text()) < coverage.rarest(rarest.text()) ? other : rarest;
        }
        return rarest;
    }

    private List<Drawn> matches(NftMatches matches) {
        List<Drawn> drawn = new ArrayList<>();
        boolean transport = false;
        int version = 0;
        for (int i = random.nextInt(3); i > 0; i--) {
            Drawn one = rare(matches);
            boolean ofTransport = one.text().matches(TRANSPORT);
            if (ofTransport && transport
                    || one.version() != 0 && version != 0 && one.version() != version
                    || one.text().contains("icmp") && version != 0
                    || one.text().contains("nfproto") && version != 0) {
                continue;
            }
            transport |= ofTransport;
            version = Math.max(version, one.version());
            drawn.add(one);
        }
        return drawn;
    }

    private String verdict(
            NftVerdictMaps maps,
            String chain,
            List<String> callable,
            boolean rejects,
            List<Drawn> drawn) {
        int draw = random.nextInt(20);
        if (draw < 6 && !callable.isEmpty()) {
            String to = callable.get(random.nextInt(callable.size()));
            calls.add(new Call(chain, to, drawn));
            return (draw < 4 ? "jump " : "goto ") + to;
        }
        if (draw < 9) {
            return map(maps, chain, callable, drawn);
        }
        if (drawn.isEmpty() && draw < 16) {
            return "counter";
        }
        return draw < 11
                ? "return"
                : draw < 12
                        ? "counter"
                        : draw < 13
                                ? "continue"
                                : draw < 14 && rejects ? "reject" : draw < 17 ? "drop" : "accept";
    }

    /** Draws a verdict map, and aims at its elements. */
    private String map(
            NftVerdictMaps maps, String chain, List<String> callable, List<Drawn> drawn) {
        List<String> verdicts = new ArrayList<>(List.of("accept", "drop", "return", "continue"));
        for (String to : callable) {
            verdicts.add("jump " + to);
            verdicts.add("goto " + to);
        }
        boolean transport = drawn.stream().anyMatch(one -> one.text().matches(TRANSPORT));
        int version = drawn.stream().mapToInt(Drawn::version).max().orElse(0);
        NftVerdictMaps.DrawnMap map = maps.draw(verdicts, transport, version);
        List<Drawn> way = new ArrayList<>(drawn);
        way.add(map.elements().get(random.nextInt(map.elements().size())));
        aims.add(new Aim(way, chain));
        callable.forEach(to -> calls.add(new Call(chain, to, way)));
        return map.text();
    }

    /** Draws a packet: on its way to a rule that it meets, or just misses, or any packet. */
    ProbePacket packet(AimedPackets packets4, AimedPackets packets6) {
        boolean any = random.nextInt(5) > 2 || wished.isEmpty();
        List<Aim> some = any && !aims.isEmpty() ? aims : wished;
        Aim aim = some.get(random.nextInt(some.size()));
        List<Drawn> way = new ArrayList<>(aim.matches);
        String at = aim.chain;
        for (int i = 0; i < 8 && isCalled(at); i++) {
            String called = at;
            List<Call> callers = calls.stream().filter(call -> call.to.equals(called)).toList();
            if (callers.isEmpty()) {
                break;
            }
            Call caller = callers.get(random.nextInt(callers.size()));
            way.addAll(caller.matches);
            at = caller.from;
        }
        int version =
                way.stream()
                        .mapToInt(Drawn::version)
                        .filter(v -> v > 0)
                        .findFirst()
                        .orElse(random.nextBoolean() ? 4 : 6);
        AimedPackets packets = version == 4 ? packets4 : packets6;
        ProbePacket packet = packets.any();
        for (ProbeHook hook : ProbeHook.values()) {
            if (at.contains(hook.name().toLowerCase(java.util.Locale.ROOT))) {
                packet.hook(hook);
            }
        }
        for (int i = way.size() - 1; i >= 0; i--) {
            if (way.get(i).version() == 0 || way.get(i).version() == version) {
                way.get(i).aim().aim(packet, random.nextInt(6) > 0, random);
            }
        }
        packet = packets.mended(packet);
        int protocol = packet.number(ProbeField.PROTOCOL);
        if (protocol == 132 || protocol == 136) {
            packet.set(ProbeField.PROTOCOL, ProbePacket.UDP);
        }
        if (packet.hook() == ProbeHook.FORWARD) {
            packet.set(ProbeField.PACKET_TYPE, 0); // routers carry frames to themselves alone
            packet.set(
                    ProbeField.TTL,
                    Math.max(2, packet.number(ProbeField.TTL))); // nor without time to live
        }
        return packet;
    }
}
