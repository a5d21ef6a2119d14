package dev.sluice.policy.iptables;

import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.SeenProtocol;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parser of match modules and of the words that belong to them. */
final class MatchParser {
    private static final int TCP = 6;

    /** A rate of {@code -m limit}: a number, and a unit or the begin of one. */
    private static final Pattern RATE =
            Pattern.compile(
                    "(?i)0*([1-9][0-9]{0,9})(?:/(?:(s)(?:e(?:c(?:o(?:nd?)?)?)?)?|(m)(?:i(?:n(?:u(?:te?)?)?)?)?|(h)(?:o(?:ur?)?)?|(d)(?:ay?)?))?");

    private static final long MOST_A_SECOND = 10_000;

    /** Headers of IPv6 that a module asks for, as bits of the header field. */
    private static final Map<String, Integer> EXTENSIONS =
            Map.of(
                    "frag", Field.EXTENSION_FRAGMENT,
                    "ah6", Field.EXTENSION_AUTHENTICATION,
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
        if (word.is("icmp6")) {
            throw word.refused("is no protocol to iptables; write icmpv6");
        }
        int number = known != null ? known : (int) word.number(0xff);
        if (number == 0) {
            if (negated) {
                throw word.refused("is every protocol, so that no packet is left; remove the !");
            }
            return;
        }
        boolean seen = facts.nft() && facts.v6();
        Condition one = seen ? SeenProtocol.in(ValueSet.of(number)) : is(Field.IP_PROTO, number);
        rule.add(one, negated);
        protocol = negated ? -1 : number;
    }

    /** Returns whether the rule asks for one of some protocols. */
    boolean hasProtocol(Set<Integer> some) {
        return some.contains(protocol);
    }

    /** Reads {@code -m}. */
    void load(Word module) throws RuleSyntaxException {
        String name =
                switch (module.text()) {
                    case "icmpv6" -> "icmp6";
                    case "ah" -> facts.v6() ? "ah6" : "ah";
                    default -> module.text();
                };
        boolean unknown = Modules.UNKNOWN.containsKey(name) && !module.is("ah6");
        if (unknown && !EXTENSIONS.containsKey(name)) {
            rule.unknown(name, "");
        } else if (!unknown && !Modules.KNOWN.containsKey(name)) {
            throw module.refused(
                    "is a match that Sluice does not read; remove the rule, or add --skip-unsupported: packets that it may decide about then depend",
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
        if (name.equals("conntrack")) {
            rule.beginConnection();
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
        String name = completed(option.text(), loaded.keySet());
        String module = moduleOf(name);
        for (Map.Entry<String, Integer> own : Modules.TRANSPORTS.entrySet()) {
            if (module == null && own.getValue() == protocol) {
                String completed = completed(option.text(), Set.of(own.getKey()));
                if (has(own.getKey(), completed)) { // the option loads the protocol's match
                    name = completed;
                    module = own.getKey();
                    load(module, option);
                }
            }
        }
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
            unseen(module, name, option, negated, arguments);
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
        return Modules.options(module).contains(option);
    }

    private @Nullable String moduleOf(String option) {
        String found = null;
        for (String module : loaded.keySet()) {
            found = has(module, option) ? module : found; // the last one loaded counts
        }
        return found;
    }

    /** An option's usual spelling, where it is written otherwise or shorter, as getopt takes it. */
    private static String completed(String option, Set<String> modules) {
        String usual = Modules.SAME.getOrDefault(option, option);
        if (option.length() < 3 || modules.stream().anyMatch(module -> has(module, usual))) {
            return usual;
        }
        Set<String> begun = new TreeSet<>();
        for (String module : modules) {
            Modules.options(module).stream()
                    .filter(name -> name.startsWith(option))
                    .forEach(begun::add);
            Modules.SAME.forEach(
                    (spelling, name) -> {
                        if (spelling.startsWith(option) && has(module, name)) {
                            begun.add(name);
                        }
                    });
        }
        return begun.size() == 1 ? begun.iterator().next() : usual;
    }

    private void unseen(String module, String name, Word option, boolean negated, int arguments)
            throws RuleSyntaxException {
        StringBuilder text = new StringBuilder(negated ? "! " : "").append(option.text());
        for (int i = 0; i < arguments; i++) {
            Word argument = rule.next("an argument of " + option.text());
            if (name.equals("--limit") && !isRate(argument.text())) {
                throw argument.refused("is no rate, or beyond 10000 in a second");
            }
            ArgumentForms.require(module, name, argument);
            text.append(' ').append(argument.text());
        }
        rule.unknown(module, text.toString());
    }

    private static boolean isRate(String text) {
        Matcher rate = RATE.matcher(text);
        if (!rate.matches()) {
            return false;
        }
        long seconds =
                rate.group(3) != null
                        ? 60
                        : rate.group(4) != null ? 3600 : rate.group(5) != null ? 86_400 : 1;
        return Long.parseLong(rate.group(1)) <= MOST_A_SECOND * seconds;
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
            if (name.equals("multiport") && !NetworkNames.WITH_PORTS.contains(protocol)) {
                throw by.refused("needs a protocol with ports; write -p tcp or -p udp before it");
            }
            boolean flags = name.equals("ecn") && used.stream().anyMatch(MatchParser::asksTcp);
            if (flags && protocol != TCP) {
                throw by.refused("asks for flags of TCP; write -p tcp before it");
            }
            ArgumentForms.requireAll(name, used, by);
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
                Set<String> options = new TreeSet<>(Modules.options(module));
                if (module.equals("addrtype")) {
                    options.removeIf(option -> option.startsWith("--limit"));
                }
                yield options;
            }
        };
    }
}
