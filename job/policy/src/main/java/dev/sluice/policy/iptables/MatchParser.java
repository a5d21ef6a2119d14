package dev.sluice.policy.iptables;

import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.schemas.header.Field;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Parser of match modules and of the words that belong to them. */
final class MatchParser {
    private static final int TCP = 6;

    /** A rate of {@code -m limit}: a number, and a unit or the begin of one. */
    private static final String RATE =
            "(?i)[0-9]+(/(s(e(c(o(nd?)?)?)?)?|m(i(n(u(te?)?)?)?)?|h(o(ur?)?)?|d(ay?)?))?";

    /** Headers of IPv6 that a module asks for, as bits of the header field. */
    private static final Map<String, Integer> EXTENSIONS =
            Map.of(
                    "frag", Field.EXTENSION_FRAGMENT,
                    "rt", Field.EXTENSION_ROUTING,
                    "hbh", Field.EXTENSION_HOP_BY_HOP,
                    "dst", Field.EXTENSION_DESTINATION_OPTIONS);

    private final RuleWords rule;
    private final DumpFacts facts;
    private final MatchOptions options;

    /** Modules that the rule loads, each with the word that loads it. */
    private final Map<String, Word> loaded = new LinkedHashMap<>();

    /** Options of each loaded module that were read. */
    private final Map<String, Set<String>> uses = new LinkedHashMap<>();

    /** The protocol by {@code -p}; negative: any or unclear. */
    private int protocol = -1;

    private String comment = "";

    MatchParser(RuleWords rule, DumpFacts facts) {
        this.rule = rule;
        this.facts = facts;
        this.options = new MatchOptions(rule, facts);
    }

    String comment() {
        return comment;
    }

    /** Reads {@code -p}. */
    void protocol(Word word, boolean negated) throws RuleSyntaxException {
        Integer known = NetworkNames.PROTOCOLS.get(word.text().toLowerCase(Locale.ROOT));
        int number = known != null ? known : (int) word.number(0xff);
        if (number == 0) {
            if (negated) {
                throw word.refused("is every protocol, so that no packet is left; remove the !");
            }
            return;
        }
        rule.add(is(Field.IP_PROTO, number), negated);
        protocol = negated ? -1 : number;
    }

    /** Reads {@code -m}. */
    void load(Word module) throws RuleSyntaxException {
        String name = module.text().equals("icmpv6") ? "icmp6" : module.text();
        boolean unknown = Modules.UNKNOWN.containsKey(name);
        if (unknown && !EXTENSIONS.containsKey(name)) {
            rule.unknown(name, "");
        } else if (!unknown && !Modules.KNOWN.containsKey(name)
                || name.equals("ah") && facts.v6()) {
            throw module.refused(
                    "is a match that Sluice does not read; remove the rule, or add --skip-unsupported to judge without it",
                    "match " + name);
        }
        load(name, module);
    }

    private void load(String name, Word by) throws RuleSyntaxException {
        Integer version = Modules.OF_VERSION.get(name);
        if (version != null && (version == 6) != facts.v6()) {
            throw by.refused(
                    "is a match of %s; remove the rule"
                            .formatted(version == 6 ? "ip6tables" : "iptables"));
        }
        loaded.remove(name); // the last one loaded counts
        loaded.put(name, by);
        uses.put(name, new HashSet<>());
        Integer extension = EXTENSIONS.get(name);
        if (extension != null) {
            rule.add(new Condition.Bits(Field.IPV6_EXTENSIONS, extension, extension), false);
        }
        if (Modules.TRANSPORTS.containsKey(name) && !name.equals("esp") && !name.equals("ah")) {
            boolean payload = name.equals("tcp") || name.equals("udp");
            rule.add(payload ? options.ofPayload(Ports.PRESENT) : Ports.PRESENT, false);
        }
    }

    /** Reads an option of a module. */
    void read(Word option, boolean negated) throws RuleSyntaxException {
        String name = Modules.SAME.getOrDefault(option.text(), option.text());
        String module = moduleOf(name);
        if (module == null && name.matches("--[sd]port") && loaded.containsKey("multiport")) {
            name += "s"; // as an abbreviation
            module = "multiport";
        }
        module = module == null ? loadedByProtocol(name, option) : module;
        if (module == null) {
            throw option.refused(
                    "is no option of a match or target that the rule loads; write the -m of its match before it",
                    "option " + name);
        }
        use(module, name, option, negated);
        if (module.equals("comment")) {
            comment = rule.next("a comment").text();
            return;
        }
        Map<String, Integer> unseen =
                Modules.UNKNOWN.containsKey(module)
                        ? Modules.UNKNOWN.get(module)
                        : Modules.UNSEEN.getOrDefault(module, Map.of());
        boolean changed =
                Modules.CHANGING.getOrDefault(module, Set.of()).stream()
                        .anyMatch(facts.targets()::contains);
        Integer arguments = changed ? Integer.valueOf(arguments(name)) : unseen.get(name);
        if (arguments != null) {
            unseen(module, option, negated, arguments);
        } else {
            options.read(module, name, negated);
        }
    }

    /** Arguments of an option of a module that targets may change. */
    private static int arguments(String option) {
        return option.startsWith("--ecn-tcp") ? 0 : 1;
    }

    private void use(String module, String name, Word option, boolean negated)
            throws RuleSyntaxException {
        if (negated && Modules.PLAIN.contains(name)) {
            throw option.refused("cannot be negated; remove the !");
        }
        Set<String> used = Objects.requireNonNull(uses.get(module), module);
        String like = Modules.ALIKE.getOrDefault(name, name);
        boolean once = Modules.KNOWN.containsKey(module) || module.equals("recent");
        if (!used.add(like) && once) {
            throw option.refused(
                    "stands beside one of its kind; keep one, or write another -m %s before it"
                            .formatted(module));
        }
    }

    private static boolean has(String module, String option) {
        return Modules.KNOWN.getOrDefault(module, Set.of()).contains(option)
                || Modules.UNSEEN.getOrDefault(module, Map.of()).containsKey(option)
                || Modules.UNKNOWN.getOrDefault(module, Map.of()).containsKey(option);
    }

    private @Nullable String moduleOf(String option) {
        String found = null;
        for (String module : loaded.keySet()) {
            found = has(module, option) ? module : found; // the last one loaded counts
        }
        return found;
    }

    /** The module of the rule's protocol, which an option of it loads; null: it is of none. */
    private @Nullable String loadedByProtocol(String option, Word by) throws RuleSyntaxException {
        for (Map.Entry<String, Integer> module : Modules.TRANSPORTS.entrySet()) {
            if (module.getValue() == protocol && has(module.getKey(), option)) {
                load(module.getKey(), by);
                return module.getKey();
            }
        }
        return null;
    }

    private void unseen(String module, Word option, boolean negated, int arguments)
            throws RuleSyntaxException {
        StringBuilder text = new StringBuilder(negated ? "! " : "").append(option.text());
        for (int i = 0; i < arguments; i++) {
            Word argument = rule.next("an argument of " + option.text());
            if (option.is("--limit") && !argument.text().matches(RATE)
                    || option.is("--tcp-option") && argument.number(255) == 0) {
                throw argument.refused("is no argument of " + option.text());
            }
            text.append(' ').append(argument.text());
        }
        rule.unknown(module, text.toString());
    }

    /** Refuses modules without their protocol, or without the options that they need. */
    void end() throws RuleSyntaxException {
        for (Map.Entry<String, Word> module : loaded.entrySet()) {
            String name = module.getKey();
            Word by = module.getValue();
            Integer transport = Modules.TRANSPORTS.get(name);
            if (transport != null && transport != protocol) {
                throw by.refused("needs its protocol; write -p %s before it".formatted(name));
            }
            Set<String> used = Objects.requireNonNull(uses.get(name), name);
            if (name.equals("multiport") && !Modules.WITH_PORTS.contains(protocol)) {
                throw by.refused("needs a protocol with ports; write -p tcp or -p udp before it");
            }
            boolean flags = name.equals("ecn") && used.stream().anyMatch(MatchParser::asksTcp);
            if (flags && protocol != TCP) {
                throw by.refused("asks for flags of TCP; write -p tcp before it");
            }
            Set<String> needed = needed(name);
            if (!needed.isEmpty() && needed.stream().noneMatch(used::contains)) {
                throw by.refused("has no option; write one of " + String.join(", ", needed));
            }
        }
    }

    private static boolean asksTcp(String option) {
        return option.startsWith("--ecn-tcp");
    }

    /** Options of which a module needs one at least. */
    private static Set<String> needed(String module) {
        if (Modules.NO_OPTION.contains(module)) {
            return Set.of();
        }
        return switch (module) {
            case "recent" -> Set.of("--rcheck");
            case "string" -> Set.of("--algo");
            default -> {
                Set<String> options = new TreeSet<>(Modules.KNOWN.getOrDefault(module, Set.of()));
                options.addAll(Modules.UNKNOWN.getOrDefault(module, Map.of()).keySet());
                options.addAll(
                        module.equals("addrtype")
                                ? Set.of()
                                : Modules.UNSEEN.getOrDefault(module, Map.of()).keySet());
                yield options;
            }
        };
    }
}
