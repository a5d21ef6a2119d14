package dev.sluice.policy.iptables;

import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Parser of match modules and their options. */
final class MatchParser {
    private static final int TCP = 6;
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;
    private static final long MOST_WORD = 0xffffffffL;

    /** Modules whose options Sluice understands, with these. */
    private static final Map<String, Set<String>> KNOWN =
            Map.ofEntries(
                    Map.entry("tcp", Set.of("--tcp-flags", "--syn", "--tcp-option")),
                    Map.entry("udp", Set.of()),
                    Map.entry("sctp", Set.of("--chunk-types")),
                    Map.entry("dccp", Set.of("--dccp-types", "--dccp-option")),
                    Map.entry("udplite", Set.of()),
                    Map.entry("icmp", Set.of("--icmp-type")),
                    Map.entry("icmp6", Set.of("--icmpv6-type")),
                    Map.entry("multiport", Set.of("--sports", "--dports", "--ports")),
                    Map.entry("iprange", Set.of("--src-range", "--dst-range")),
                    Map.entry("set", Set.of("--match-set", "--return-nomatch")),
                    Map.entry("state", Set.of("--state")),
                    Map.entry("conntrack", Set.of("--ctstate")),
                    Map.entry("mac", Set.of("--mac-source")),
                    Map.entry("mark", Set.of("--mark")),
                    Map.entry("addrtype", Set.of("--src-type", "--dst-type")),
                    Map.entry("comment", Set.of()),
                    Map.entry("dscp", Set.of("--dscp", "--dscp-class")),
                    Map.entry("tos", Set.of("--tos")),
                    Map.entry("ttl", Set.of("--ttl-eq", "--ttl", "--ttl-lt", "--ttl-gt")),
                    Map.entry("hl", Set.of("--hl-eq", "--hl-lt", "--hl-gt")),
                    Map.entry(
                            "frag",
                            Set.of(
                                    "--fragid",
                                    "--fraglen",
                                    "--fragfirst",
                                    "--fragmore",
                                    "--fraglast")));

    /** Modules that need no option. */
    private static final Set<String> NO_OPTION = Set.of("icmp6", "frag");

    /** Options of understood modules that nobody can see in a header, with their arguments. */
    private static final Map<String, Map<String, Integer>> UNSEEN =
            Map.of(
                    "conntrack",
                    Map.ofEntries(
                            Map.entry("--ctproto", 1),
                            Map.entry("--ctorigsrc", 1),
                            Map.entry("--ctorigdst", 1),
                            Map.entry("--ctreplsrc", 1),
                            Map.entry("--ctrepldst", 1),
                            Map.entry("--ctorigsrcport", 1),
                            Map.entry("--ctorigdstport", 1),
                            Map.entry("--ctreplsrcport", 1),
                            Map.entry("--ctrepldstport", 1),
                            Map.entry("--ctstatus", 1),
                            Map.entry("--ctexpire", 1),
                            Map.entry("--ctdir", 1)),
                    "addrtype",
                    Map.of("--limit-iface-in", 0, "--limit-iface-out", 0),
                    "tcp",
                    Map.of("--tcp-option", 1),
                    "sctp",
                    Map.of("--chunk-types", 2),
                    "dccp",
                    Map.of("--dccp-types", 1, "--dccp-option", 1),
                    "set",
                    Map.of(
                            "--update-counters", 0,
                            "--update-subcounters", 0,
                            "--packets-eq", 1,
                            "--packets-lt", 1,
                            "--packets-gt", 1,
                            "--bytes-eq", 1,
                            "--bytes-lt", 1,
                            "--bytes-gt", 1));

    /** Targets that change what a module looks at. */
    private static final Map<String, Set<String>> CHANGING =
            Map.of(
                    "mark", Set.of("MARK", "CONNMARK", "SET"),
                    "dscp", Set.of("TOS", "DSCP"),
                    "tos", Set.of("TOS", "DSCP"),
                    "ttl", Set.of("TTL"),
                    "hl", Set.of("HL"));

    private static final Map<String, String> SAME =
            Map.of(
                    "--source-port", "--sport",
                    "--destination-port", "--dport",
                    "--source-ports", "--sports",
                    "--destination-ports", "--dports",
                    "--port", "--ports");

    private static final Map<String, Integer> TOS =
            Map.of(
                    "Minimize-Delay", 0x10,
                    "Maximize-Throughput", 0x08,
                    "Maximize-Reliability", 0x04,
                    "Minimize-Cost", 0x02,
                    "Normal-Service", 0x00);

    private final RuleWords rule;
    private final DumpFacts facts;
    private final Map<String, Word> loaded = new LinkedHashMap<>();
    private final Map<String, Integer> uses = new HashMap<>();

    /** The protocol by {@code -p}; negative: any or unclear. */
    private int protocol = -1;

    MatchParser(RuleWords rule, DumpFacts facts) {
        this.rule = rule;
        this.facts = facts;
    }

    /** Reads {@code -p}. */
    void protocol(Word word, boolean negated) throws RuleSyntaxException {
        if (word.is("all") || word.is("0")) {
            if (negated) {
                throw word.refused("is every protocol, so that no packet is left; remove the !");
            }
            return;
        }
        Integer known = Modules.PROTOCOLS.get(word.text().toLowerCase(Locale.ROOT));
        int number =
                known != null ? known : (int) Literals.number(word.text(), word.column(), 0xff);
        rule.add(is(Field.IP_PROTO, number), negated);
        protocol = negated ? -1 : number;
    }

    /** Reads {@code -m}. */
    void load(Word module) throws RuleSyntaxException {
        String name = module.text().equals("icmpv6") ? "icmp6" : module.text();
        if (Modules.UNKNOWN.containsKey(name)) {
            rule.unknown(name, "");
        } else if (!KNOWN.containsKey(name)) {
            throw module.refused(
                    "is a match that Sluice does not read; remove the rule, or add --skip-unsupported to judge without it",
                    "match " + name);
        }
        loaded.put(name, module);
        if (name.equals("frag")) {
            rule.add(new Condition.Bits(Field.FRAGMENT, 1, 1), false);
        }
        Integer transport =
                name.equals("icmp6") ? Integer.valueOf(ICMP6) : Modules.PROTOCOLS.get(name);
        if (transport != null) {
            if (protocol != transport) {
                throw module.refused(
                        "needs its protocol; write -p %s before it".formatted(module.text()));
            }
            boolean payload = name.equals("tcp") || name.equals("udp");
            rule.add(payload ? ofPayload(Ports.PRESENT) : Ports.PRESENT, false);
        }
    }

    /** A condition on the header of TCP or UDP, for which nftables reads a later fragment, too. */
    private Condition ofPayload(Condition condition) {
        return facts.nft() ? Vantage.orUnknownLater(condition) : condition;
    }

    /** Reads an option of a module. */
    void read(Word option, boolean negated) throws RuleSyntaxException {
        String name = SAME.getOrDefault(option.text(), option.text());
        if (name.equals("--sport") || name.equals("--dport")) {
            requirePorts(option);
            ValueSet ports = Ports.range(rule.next("a port"), ':');
            Field field = name.equals("--sport") ? Field.SRC_PORT : Field.DST_PORT;
            if (!facts.nft() || !negated || !ports.equals(Ports.ALL)) { // iptables-nft drops it
                rule.add(ofPayload(Ports.in(field, ports, negated)), false);
            }
            return;
        }
        String module = moduleOf(name);
        if (module == null) {
            throw option.refused(
                    "is no option of a match or target that the rule loads; write the -m of its match before it",
                    "option " + name);
        }
        uses.merge(module, 1, Integer::sum);
        Map<String, Integer> unseen =
                Modules.UNKNOWN.containsKey(module)
                        ? Modules.UNKNOWN.get(module)
                        : UNSEEN.getOrDefault(module, Map.of());
        boolean changed =
                CHANGING.getOrDefault(module, Set.of()).stream()
                        .anyMatch(facts.targets()::contains);
        Integer arguments = changed ? Integer.valueOf(1) : unseen.get(name);
        if (arguments != null) {
            unseen(module, option, negated, arguments);
        } else {
            known(module, name, negated);
        }
    }

    private static boolean knows(String module, String option) {
        return KNOWN.getOrDefault(module, Set.of()).contains(option);
    }

    private @Nullable String moduleOf(String option) {
        String found = null;
        for (String module : loaded.keySet()) {
            if (knows(module, option)
                    || UNSEEN.getOrDefault(module, Map.of()).containsKey(option)
                    || Modules.UNKNOWN.getOrDefault(module, Map.of()).containsKey(option)) {
                found = module; // the last one loaded counts
            }
        }
        if (found == null && protocol == TCP && knows("tcp", option)) {
            found = "tcp";
        } else if (found == null && protocol == ICMP && option.equals("--icmp-type")) {
            found = "icmp";
        } else if (found == null && protocol == ICMP6 && option.equals("--icmpv6-type")) {
            found = "icmp6";
        }
        return found;
    }

    private void unseen(String module, Word option, boolean negated, int arguments)
            throws RuleSyntaxException {
        StringBuilder text = new StringBuilder(negated ? "! " : "").append(option.text());
        for (int i = 0; i < arguments; i++) {
            text.append(' ').append(rule.next("an argument of " + option.text()).text());
        }
        rule.unknown(module, text.toString());
    }

    private void requirePorts(Word option) throws RuleSyntaxException {
        if (!Modules.WITH_PORTS.contains(protocol)) {
            throw option.refused("needs a protocol with ports; write -p tcp or -p udp before it");
        }
    }

    private void known(String module, String option, boolean negated) throws RuleSyntaxException {
        switch (module) {
            case "tcp" -> {
                Condition flags =
                        option.equals("--syn")
                                ? new Condition.Bits(Field.TCP_FLAGS, 0x02, 0x17)
                                : Ports.flags(rule.next("flags"), rule.next("flags"));
                rule.add(ofPayload(Ports.PRESENT), false);
                rule.add(ofPayload(flags), negated);
            }
            case "icmp", "icmp6" -> {
                Condition type = Ports.icmpType(rule.next("a type"), module.equals("icmp6"));
                rule.add(Ports.PRESENT, false);
                rule.add(type == null ? Condition.ALWAYS : type, negated);
            }
            case "multiport" -> multiport(option, negated);
            case "iprange" -> {
                Word range = rule.next("a range of addresses");
                Addresses addresses = new Addresses(facts.v6());
                Field field = addresses.field(option.equals("--src-range"));
                rule.add(new Condition.In(field, addresses.range(range)), negated);
            }
            case "set" -> {
                if (option.equals("--match-set")) {
                    rule.add(
                            facts.sets()
                                    .condition(
                                            rule.next("a set"),
                                            rule.next("src or dst"),
                                            facts.v6()),
                            negated);
                }
            }
            case "state", "conntrack" -> rule.add(states(rule.next("states")), negated);
            case "mac" -> {
                Word mac = rule.next("a MAC address");
                ValueSet one = ValueSet.of(Literals.mac(mac.text(), mac.column()));
                rule.add(Ports.in(Field.ETH_SRC, one, negated), false);
            }
            case "mark" -> rule.add(mark(rule.next("a mark")), negated);
            case "addrtype" ->
                    rule.add(
                            new Addresses(facts.v6())
                                    .types(option.equals("--src-type"), rule.next("types")),
                            negated);
            case "dscp", "tos" -> rule.add(tos(option), negated);
            case "ttl", "hl" -> rule.add(ttl(option), negated);
            default -> frag(option);
        }
    }

    private void multiport(String option, boolean negated) throws RuleSyntaxException {
        Word list = rule.next("ports");
        if (!Modules.WITH_PORTS.contains(protocol)) {
            throw list.refused("needs a protocol with ports; write -p tcp or -p udp before it");
        }
        ValueSet ports = Ports.list(list);
        Condition source = Ports.in(Field.SRC_PORT, ports, negated);
        Condition destination = Ports.in(Field.DST_PORT, ports, negated);
        switch (option) {
            case "--sports" -> rule.add(source, false);
            case "--dports" -> rule.add(destination, false);
            default -> {
                List<Condition> both = List.of(source, destination);
                rule.add(negated ? new Condition.All(both) : new Condition.Any(both), false);
            }
        }
    }

    private static Condition states(Word words) throws RuleSyntaxException {
        Set<ConnectionState> states = EnumSet.noneOf(ConnectionState.class);
        List<Condition> any = new ArrayList<>();
        for (String state : words.text().toUpperCase(Locale.ROOT).split(",", -1)) {
            if (state.equals("SNAT") || state.equals("DNAT")) {
                any.add(new Condition.Unknown("--ctstate " + state));
                continue;
            }
            try {
                states.add(ConnectionState.valueOf(state));
            } catch (IllegalArgumentException e) {
                throw words.refused(
                        "names no state; write some of NEW, ESTABLISHED, RELATED, INVALID, UNTRACKED");
            }
        }
        any.add(new Condition.InState(states));
        return any.size() == 1 ? any.get(0) : new Condition.Any(any);
    }

    /** A mark, which is 0 of a packet that states none. */
    private static Condition mark(Word word) throws RuleSyntaxException {
        long[] mark = RuleWords.masked(word, MOST_WORD);
        if ((mark[0] & ~mark[1]) != 0) {
            return Condition.NEVER; // the kernel compares the mark under the mask with all bits
        }
        Condition stated = new Condition.Bits(Field.MARK, (int) mark[0], (int) mark[1]);
        return mark[0] == 0 ? Condition.any(stated, is(Field.MARK_PRESENT, 0)) : stated;
    }

    private Condition tos(String option) throws RuleSyntaxException {
        Word word = rule.next("a value");
        if (option.equals("--dscp-class")) {
            return new Condition.Bits(Field.TOS, dscpClass(word) << 2, 0xfc);
        }
        if (option.equals("--dscp")) {
            int dscp = (int) Literals.number(word.text(), word.column(), 0x3f);
            return new Condition.Bits(Field.TOS, dscp << 2, 0xfc);
        }
        Integer named = TOS.get(word.text());
        long[] tos = named == null ? RuleWords.masked(word, 0xff) : new long[] {named, 0x3f};
        return (tos[0] & ~tos[1]) != 0
                ? Condition.NEVER
                : new Condition.Bits(Field.TOS, (int) tos[0], (int) tos[1]);
    }

    private static int dscpClass(Word word) throws RuleSyntaxException {
        String name = word.text().toUpperCase(Locale.ROOT);
        if (name.equals("BE")) {
            return 0;
        }
        if (name.equals("EF")) {
            return 46;
        }
        if (name.matches("CS[0-7]")) {
            return (name.charAt(2) - '0') << 3;
        }
        if (name.matches("AF[1-4][1-3]")) {
            return (name.charAt(2) - '0') << 3 | (name.charAt(3) - '0') << 1;
        }
        throw word.refused("is no class; write BE, EF, CS0 to CS7 or AF11 to AF43");
    }

    private Condition ttl(String option) throws RuleSyntaxException {
        Word word = rule.next("a number");
        long number = Literals.number(word.text(), word.column(), 0xff);
        ValueSet values =
                option.endsWith("-lt")
                        ? ValueSet.of(0, number - 1)
                        : option.endsWith("-gt")
                                ? ValueSet.of(number + 1, 0xff)
                                : ValueSet.of(number);
        return new Condition.In(Field.TTL, values);
    }

    /** Fragments of IPv6, as far as a header tells them; numbers that are negated, too. */
    private void frag(String option) throws RuleSyntaxException {
        if (option.equals("--fragfirst")) {
            rule.add(is(Field.FRAGMENT, Field.FRAGMENT_FIRST), false);
        } else if (option.equals("--fragid") || option.equals("--fraglen")) {
            rule.unknown("frag", option + " " + rule.next("numbers").text());
        } else {
            rule.unknown("frag", option);
        }
    }

    /** Refuses modules without the options that they need. */
    void end() throws RuleSyntaxException {
        for (Map.Entry<String, Word> module : loaded.entrySet()) {
            String name = module.getKey();
            Set<String> options = new TreeSet<>(KNOWN.getOrDefault(name, Set.of()));
            boolean needs = !NO_OPTION.contains(name) && !Modules.PROTOCOLS.containsKey(name);
            if (needs && !options.isEmpty() && !uses.containsKey(name)) {
                throw module.getValue()
                        .refused("has no option; write one of " + String.join(", ", options));
            }
        }
    }
}
