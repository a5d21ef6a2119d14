package dev.sluice.policy;

import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Host;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A policy as read from a file, or the policies of the ways that a packet may take through a host.
 *
 * @param policies at least one
 * @param warnings what the reader should know, each with its line
 * @param asked what captures are to tell of their packets
 * @param assumed the assumption under which packets are judged
 * @param words the assumption as users say it
 */
public record PolicyFile(
        PolicyFormat format,
        Path file,
        List<Policy> policies,
        FlatPolicy flat,
        List<String> warnings,
        AskedFacts asked,
        Assumptions assumed,
        String words) {
    private static final int MOST_NAMED = 10;

    /** Ways through a host, in lower case as in nftables; iptables writes them in upper case. */
    private static final List<String> HOOKS = List.of("input", "forward", "output");

    /**
     * Reads the policy of a file.
     *
     * @param given a file, or FILE#HOOK
     * @throws SluiceException naming every defect with file, line, column and remedy, or the
     *     policies of which the user has to name one
     */
    public static PolicyFile read(Path given, PolicyOptions options) {
        try (OpenRules text = OpenRules.open(given, null)) {
            return read(text, options);
        }
    }

    /** Reads an open file. */
    public static PolicyFile read(OpenRules text, PolicyOptions options) {
        if (text.format() instanceof PolicyFormat format) {
            return text.use(in -> read(text.reading(in), text.from(), format, options));
        }
        throw new SluiceException(
                "%s: holds rules that stand for themselves (%s); name a policy of chains"
                        .formatted(text.from().file(), text.format().title()));
    }

    /**
     * Policies of a file.
     *
     * @param asked those that packets meet: the one that is named, else those of the hooks, of the
     *     packets that meet them if the host tells, else all
     * @param all each policy, and each chain that no hook has, by its name
     * @param unusedObjects sets, maps and other objects that no rule of the file names
     * @param leftOut stages that deny nothing, and that no policy has; they may set marks
     * @param warnings what the reader should know, each with its line
     */
    public record Listed(
            List<Policy> asked,
            Map<String, Policy> all,
            List<Origin> unusedObjects,
            List<Stage> leftOut,
            List<String> warnings) {}

    /**
     * Lists the policies of an open file, without those of translations.
     *
     * @throws SluiceException as {@link #read(Path, PolicyOptions)}
     */
    public static Listed list(OpenRules text, PolicyOptions options) {
        return list(text, options, false);
    }

    /**
     * As {@link #list(OpenRules, PolicyOptions)}.
     *
     * @param everyStage whether stages that deny nothing are kept, too
     */
    public static Listed list(OpenRules text, PolicyOptions options, boolean everyStage) {
        if (!(text.format() instanceof PolicyFormat format)) {
            throw new IllegalArgumentException(text.format().title() + " has no policies");
        }
        return text.use(
                in -> {
                    RuleReading reading = text.reading(in);
                    if (everyStage) {
                        reading.ofEveryStage();
                    }
                    Map<String, Policy> all = policies(reading, text.from(), format, options);
                    String name = options.hook() == null ? text.from().list() : options.hook();
                    List<Policy> asked = name == null ? ways(all) : List.of();
                    Host host = asked.size() < 2 ? null : options.assumed().host();
                    if (name != null || all.isEmpty()) {
                        asked = List.of(choose(text.from(), all, name));
                    } else if (asked.isEmpty()) {
                        asked = List.copyOf(all.values());
                    }
                    return new Listed(
                            judging(text.from(), asked, options, host),
                            all,
                            List.copyOf(reading.unused()),
                            List.copyOf(reading.leftOut()),
                            List.copyOf(reading.warnings()));
                });
    }

    private static Map<String, Policy> policies(
            RuleReading reading, RuleList from, PolicyFormat format, PolicyOptions options)
            throws IOException {
        reading.of(options.assumed().host(), options.zone());
        try {
            Map<String, Policy> policies = format.policies(reading, options.skipUnsupported());
            reading.requireNoDefects();
            return policies;
        } catch (IllegalArgumentException e) {
            throw new SluiceException(from.file() + ": " + e.getMessage(), e);
        }
    }

    private static PolicyFile read(
            RuleReading reading, RuleList from, PolicyFormat format, PolicyOptions options)
            throws IOException {
        Map<String, Policy> policies = policies(reading, from, format, options);
        String hook = options.hook();
        if (hook != null && from.list() != null && !hook.equals(from.list())) {
            throw new SluiceException(
                    "--hook %s: --rules names #%s; name one".formatted(hook, from.list()));
        }
        String name = hook == null ? from.list() : hook;
        Host host = options.assumed().host();
        List<Policy> ways = name == null ? ways(policies) : List.of();
        List<String> warnings = new ArrayList<>(reading.warnings());
        if (ways.size() < 2) {
            ways = List.of(choose(from, policies, name));
            host = null; // the hook is said
        } else if (host == null) {
            warnings.add(
                    "%s: neither --host nor --hook tells the packets' way: each is judged on all of %s, and depends where their answers differ"
                            .formatted(from.file(), names(ways)));
        }
        if (options.translates() && ways.stream().allMatch(way -> way.translated().isEmpty())) {
            warnings.add(from.file() + ": --nat does nothing: no destination is translated there");
        }
        AskedFacts named =
                AskedFacts.NONE.and(
                        ways.stream().flatMap(Policy::conditions), false, options.assumed().host());
        warn(from, "--in-interface", options.assumed().inInterface(), named, warnings);
        warn(from, "--out-interface", options.assumed().outInterface(), named, warnings);
        ways = judging(from, ways, options, host);
        AskedFacts asked =
                options.captured() == null
                        ? AskedFacts.NONE
                        : options.captured()
                                .and(
                                        ways.stream().flatMap(Policy::conditions),
                                        options.timed(),
                                        options.assumed().host());
        if (asked.periods().size() > AskedFacts.MOST_PERIODS) {
            warnings.add(
                    "%s: asks for more than %d periods of time: rules of the others depend; name the time by --policy-time"
                            .formatted(from.file(), AskedFacts.MOST_PERIODS));
        }
        Assumptions assumed = options.assumed();
        String words = options.words(name);
        FlatPolicy flat =
                FlatPolicy.of(ways, asked.isEmpty() ? assumed : assumed.telling(asked), words);
        return new PolicyFile(format, from.file(), ways, flat, warnings, asked, assumed, words);
    }

    /** Warns of the name of an interface that no rule names, which may be a slip. */
    private static void warn(
            RuleList from,
            String option,
            @Nullable String name,
            AskedFacts named,
            List<String> warnings) {
        if (name != null && !name.isEmpty() && !named.asksFor(name)) {
            List<String> names = named.interfaces();
            warnings.add(
                    "%s: %s %s: no rule names it; rules name %s"
                            .formatted(
                                    from.file(),
                                    option,
                                    name,
                                    names.isEmpty()
                                            ? "no interface"
                                            : String.join(
                                                    ", ",
                                                    names.subList(
                                                            0,
                                                            Math.min(names.size(), MOST_NAMED)))));
        }
    }

    /** The policies of the hooks of a host. */
    private static List<Policy> ways(Map<String, Policy> policies) {
        return policies.values().stream()
                .filter(policy -> HOOKS.contains(policy.name().toLowerCase(Locale.ROOT)))
                .toList();
    }

    /**
     * The policies that judge packets: of each hook those of the packets that meet it, if the host
     * tells, and of each translation.
     */
    private static List<Policy> judging(
            RuleList from, List<Policy> ways, PolicyOptions options, @Nullable Host host) {
        List<Policy> judging = new ArrayList<>();
        boolean sends =
                ways.stream()
                        .anyMatch(
                                way ->
                                        way.name().equalsIgnoreCase("OUTPUT")
                                                && !way.translated().isEmpty());
        for (Policy way : ways) {
            boolean looped = // which met nat on its way out
                    "lo".equals(options.assumed().inInterface())
                            && !way.name().equalsIgnoreCase("OUTPUT");
            boolean returns = options.translates() && sends && !looped;
            if (returns
                    && host != null
                    && way.name().equalsIgnoreCase("INPUT")
                    && way.translated().isEmpty()) {
                judging.addAll(way.bySender(host));
                continue;
            }
            if (!options.translates() || way.translated().isEmpty() || looped) {
                judging.add(host == null ? way : packets(way, host));
                continue;
            }
            if (way.untracked() != null) {
                throw new SluiceException(
                        "%s: --nat does not know which packets NOTRACK keeps from the table nat; leave it out"
                                .formatted(from.file()));
            }
            judging.addAll(way.byTranslation(host, sends));
        }
        return judging;
    }

    /** A hook's policy of the packets that meet the hook. */
    private static Policy packets(Policy of, Host host) {
        return new Policy(
                of.name(), host.meets(of.name(), of.judges()), of.stages(), of.untracked());
    }

    private static String names(List<Policy> policies) {
        return policies.stream().map(Policy::name).distinct().collect(Collectors.joining(", "));
    }

    private static Policy choose(
            RuleList from, Map<String, Policy> policies, @Nullable String name) {
        if (policies.isEmpty()) {
            throw new SluiceException(
                    from.file()
                            + ": holds no chain that decides; dump all tables of the firewall, or its whole configuration");
        }
        Policy policy = policies.get(name == null ? "" : name);
        if (policy != null) {
            return policy;
        }
        for (Policy way : name == null ? List.<Policy>of() : ways(policies)) {
            if (way.name().equalsIgnoreCase(name)) { // iptables and nft differ in case
                return way;
            }
        }
        List<Policy> ways = name == null ? ways(policies) : List.of();
        if (ways.size() == 1) {
            return ways.get(0);
        }
        if (name == null && policies.size() == 1) {
            return policies.values().iterator().next();
        }
        throw new SluiceException(
                "%s: %s; name one: %s"
                        .formatted(
                                from.file(),
                                name == null
                                        ? "holds %d policies".formatted(policies.size())
                                        : "holds no policy " + name,
                                String.join(
                                        ", ",
                                        policies.keySet().stream()
                                                .filter(list -> !list.isEmpty())
                                                .map(from::named)
                                                .toList())));
    }

    /** The rules, in the order of the file. */
    public List<PolicyRule> rules() {
        return Policy.rules(policies);
    }

    /** The policy as rules that are served, published and compared like any others. */
    public RuleFile asRules() {
        return new RuleFile(
                format, flat.rules().rules(), warnings, asked, all -> telling(all).asRules());
    }

    private PolicyFile telling(AskedFacts all) {
        FlatPolicy more = FlatPolicy.of(policies, assumed.telling(all), words);
        return new PolicyFile(format, file, policies, more, warnings, all, assumed, words);
    }

    /** A sentence about what was understood. */
    public String summary() {
        return "%s: %s of %s read, %s in %s, %s with unknown conditions"
                .formatted(
                        file,
                        Amount.of(rules().size(), "rule"),
                        names(policies),
                        Amount.of(flat.alternatives(), "alternative"),
                        Amount.of(flat.lists().size(), "look-up"),
                        Amount.of(flat.asking().size(), "rule"));
    }
}
