package dev.sluice.policy.logs;

import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.logs.LogFinding.Kind;
import dev.sluice.policy.logs.LogSite.Reach;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Check of a device's log by a policy of chains, by linear search.
 *
 * <p>The rule of a packet is the one that logs with its prefix. Where rules ask for the state of
 * connections and none is assumed, the packet may be the first of its connection, or of one that
 * has seen packets both ways, or one that tracking skips; it reaches the rule if it does as one of
 * them. A packet that would reach the rule as a related or an invalid one alone depends.
 *
 * <p>Not thread-safe.
 */
public final class LogVerifier {
    /** Header of a line of syslog, of the kernel's ring buffer, or of both. */
    private static final Pattern HEADER =
            Pattern.compile(
                    "(?:<\\d{1,3}>)?(?:.{0,200}?\\b(?:kernel|ulogd)(?:\\[\\d{1,10}\\])?: ?)?"
                            + "(?:\\[ *\\d{1,12}\\.\\d{1,9}\\] ?"
                            + "|\\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d [\\d:]{8} \\d{4}\\] ?)?");

    private static final Pattern DENIES =
            Pattern.compile(
                    "(?<![a-z])(drop|dropp|deny|deni|reject|block|refus|discard)(e?d)?(?![a-z])",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern PERMITS =
            Pattern.compile(
                    "(?<![a-z])(accept|allow|permit|permitt|pass)(ed)?(?![a-z])",
                    Pattern.CASE_INSENSITIVE);

    private static final int LONGEST_PREFIX = 256;
    private static final int TRACKED = 32;

    /** States that no assumption makes, by their bits in a header. */
    private static final Map<String, Integer> UNUSUAL =
            new TreeMap<>(Map.of("related", TRACKED | 4, "invalid", TRACKED | 16));

    private final AskedFacts asked;
    private final Map<String, List<LogSite>> sites = new LinkedHashMap<>();
    private final IdentityHashMap<Policy, Way> ways = new IdentityHashMap<>();

    /** Policy of a hook, and the assumptions that are tried. */
    private static final class Way {
        private final Policy policy;
        private final List<Assumptions> usual = new ArrayList<>();

        /** Packets whose headers state the state. */
        private final Assumptions tracked;

        /** True if no packet is denied or exempted before its connection is tracked. */
        private final boolean follows;

        /** True if rules change marks that rules ask for: the log has not that of the header. */
        private final boolean marks;

        /** Number of stages before destinations are translated; all: none is. */
        private final int before;

        private final IdentityHashMap<Assumptions, FlatPolicy> flat = new IdentityHashMap<>();

        Way(Policy policy, Assumptions given) {
            this.policy = policy;
            tracked = given.ofTracked();
            if (given.state() != null
                    || policy.stages().stream().noneMatch(stage -> stage.asksState(false))) {
                usual.add(given);
            } else {
                usual.add(given.withState(ConnectionState.NEW));
                usual.add(given.withState(ConnectionState.ESTABLISHED));
                if (policy.untracked() != null) {
                    usual.add(given.withState(ConnectionState.UNTRACKED));
                }
            }
            follows =
                    policy.untracked() == null
                            && policy.stages().stream()
                                    .noneMatch(
                                            stage ->
                                                    stage.vantage().states()
                                                                    != Vantage.States.TRACKED
                                                            && stage.mayDeny());
            before = stagesBeforeNat(policy);
            marks =
                    policy.stages().stream().anyMatch(Stage::asksMark)
                            && policy.stages().stream().anyMatch(Stage::setsMark);
        }

        private static int stagesBeforeNat(Policy policy) {
            int before = policy.stages().size();
            for (Policy.Translated one : policy.translated()) {
                for (int i = before - 1; i >= 0; i--) {
                    before = one.stages().get(i).equals(policy.stages().get(i)) ? before : i;
                }
            }
            return before;
        }

        /** Returns whether a finding rests on stages that see another destination than the log. */
        boolean isTranslated(LogSite site, Kind kind) {
            return site.stage() < before
                    ? before < policy.stages().size() && kind == Kind.OTHER_OUTCOME
                    : policy.stages().stream().limit(before).anyMatch(Stage::mayDeny);
        }

        /** Returns whether the packets of a header come to the policy. */
        boolean judges(int[] header) {
            return judge(header, usual.get(0)) != null;
        }

        FlatPolicy.@Nullable Answer judge(int[] header, Assumptions assumed) {
            return flat.computeIfAbsent(assumed, one -> FlatPolicy.withoutWorlds(policy, one))
                    .judge(header);
        }
    }

    /**
     * A verifier.
     *
     * @param policies those of the hooks
     */
    public LogVerifier(List<Policy> policies, Assumptions given) {
        asked =
                AskedFacts.NONE.and(
                        policies.stream().flatMap(Policy::conditions), false, given.host());
        Assumptions told = given.ofMessages().telling(asked);
        for (Policy policy : policies) {
            for (LogSite site : LogSite.of(policy)) {
                sites.computeIfAbsent(site.statement().prefix(), one -> new ArrayList<>())
                        .add(site);
            }
            ways.put(policy, new Way(policy, told.meeting(policy.name())));
        }
    }

    /** Names of interfaces that the policies ask for, by which headers have numbers. */
    public AskedFacts asked() {
        return asked;
    }

    /** The rules that log, by their prefixes. */
    public Map<String, List<PolicyRule>> logging() {
        Map<String, List<PolicyRule>> rules = new LinkedHashMap<>();
        sites.forEach((prefix, of) -> rules.put(prefix, rules(of)));
        return rules;
    }

    private static List<PolicyRule> rules(List<LogSite> sites) {
        return List.copyOf(
                sites.stream()
                        .map(LogSite::rule)
                        .collect(
                                Collectors.toMap(
                                        PolicyRule::origin,
                                        rule -> rule,
                                        (one, other) -> one,
                                        LinkedHashMap::new))
                        .values());
    }

    /** Compares a logged packet with the policies. */
    public LogFinding verify(LoggedPacket packet) {
        LogFinding finding = compare(packet);
        boolean none =
                finding.kind().isDifference()
                        && finding.ours() == null
                        && ways.values().stream().noneMatch(way -> way.judges(packet.header()));
        return none
                ? new LogFinding(Kind.NOT_JUDGED, finding.rules(), finding.hook(), null, "")
                : finding;
    }

    private LogFinding compare(LoggedPacket packet) {
        List<LogSite> named = named(packet.before());
        List<PolicyRule> rules = rules(named);
        if (named.isEmpty()) {
            String prefix = withoutHeader(packet.before());
            return new LogFinding(
                    Kind.UNKNOWN_PREFIX,
                    rules,
                    "",
                    null,
                    prefix.isEmpty()
                            ? "no rule logs without a prefix"
                            : "no rule logs with '" + prefix + "'");
        }
        List<LogSite> met = named.stream().filter(site -> site.meets(packet)).toList();
        if (met.isEmpty()) {
            String hooks =
                    named.stream()
                            .map(site -> site.policy().name())
                            .distinct()
                            .collect(Collectors.joining(", "));
            return new LogFinding(
                    Kind.NOT_REACHED, rules, "", null, "the packet is on no way through " + hooks);
        }
        if (!packet.undecided().isEmpty()) {
            return new LogFinding(Kind.DEPENDS, rules, "", null, packet.undecided());
        }
        LogFinding best = null;
        for (LogSite site : met) {
            LogFinding one = verify(packet, site, rules);
            if (best == null || rank(one.kind()) < rank(best.kind())) {
                best = one;
            }
        }
        return Objects.requireNonNull(best);
    }

    /** Order of findings at several rules: the packet may have been logged by any of them. */
    private static int rank(Kind kind) {
        return List.of(Kind.AGREES, Kind.DEPENDS, Kind.OTHER_OUTCOME, Kind.NOT_REACHED)
                .indexOf(kind);
    }

    private List<LogSite> named(String before) {
        String rest = withoutHeader(before);
        List<LogSite> exact = sites.get(rest);
        if (exact != null) {
            return exact;
        }
        for (Map.Entry<String, List<LogSite>> of : sites.entrySet()) {
            if (of.getKey().strip().equals(rest.strip())) {
                return of.getValue(); // of a log that cuts blanks
            }
        }
        for (int at = Math.max(0, rest.length() - LONGEST_PREFIX);
                rest.length() == before.length() && at < rest.length();
                at++) { // a header of another form
            List<LogSite> of = sites.get(rest.substring(at));
            if (of != null && at > 0 && " :]".indexOf(rest.charAt(at - 1)) >= 0) {
                return of;
            }
        }
        return List.of();
    }

    private static String withoutHeader(String before) {
        Matcher header = HEADER.matcher(before);
        return before.substring(header.lookingAt() ? header.end() : 0);
    }

    private LogFinding verify(LoggedPacket packet, LogSite site, List<PolicyRule> rules) {
        Way way = Objects.requireNonNull(ways.get(site.policy()));
        int[] header = header(packet, site);
        LogFinding finding = verify(header, way, site, rules);
        if (finding.kind().isDifference() && way.isTranslated(site, finding.kind())) {
            return depends(finding, "the log has one destination, and nat translates it");
        }
        if (!way.marks || finding.kind() == Kind.AGREES) {
            return finding;
        }
        Field.MARK.put(header, 0); // which rules may have changed since
        LogFinding unmarked = verify(header, way, site, rules);
        return unmarked.kind().isDifference()
                ? depends(finding, "the log has not the mark that the packet came with")
                : unmarked;
    }

    private static LogFinding depends(LogFinding on, String reason) {
        return new LogFinding(Kind.DEPENDS, on.rules(), on.hook(), on.ours(), reason);
    }

    private LogFinding verify(int[] header, Way way, LogSite site, List<PolicyRule> rules) {
        String hook = site.policy().name();
        boolean maybe = false;
        FlatPolicy.Answer first = null;
        LogFinding other = null;
        for (Assumptions assumed : way.usual) {
            Reach reach = site.reach(header, assumed);
            FlatPolicy.Answer ours = way.judge(header, assumed);
            first = first == null ? ours : first;
            maybe |= reach == Reach.MAYBE;
            if (reach == Reach.YES) {
                String claim = claim(site, ours);
                if (claim.isEmpty()) {
                    return new LogFinding(Kind.AGREES, rules, hook, ours, "");
                }
                Kind kind =
                        ours != null && ours.outcome() == Outcome.DEPENDS
                                ? Kind.DEPENDS
                                : Kind.OTHER_OUTCOME;
                other = other == null ? new LogFinding(kind, rules, hook, ours, claim) : other;
            }
        }
        if (other != null && !maybe) {
            return other;
        }
        if (maybe || site.statement().early()) {
            return new LogFinding(Kind.DEPENDS, rules, hook, first, "");
        }
        String state = unusual(header, site, way);
        return state.isEmpty()
                ? new LogFinding(Kind.NOT_REACHED, rules, hook, first, "")
                : new LogFinding(
                        Kind.DEPENDS, rules, hook, first, "only if its connection is " + state);
    }

    /** The state in which alone a packet may reach a rule; empty: in none. */
    private static String unusual(int[] header, LogSite site, Way way) {
        if (way.usual.size() == 1 || site.isBeforeTracking()) {
            return ""; // no state is asked for, or one is assumed
        }
        if (!way.follows) {
            return String.join(" or ", UNUSUAL.keySet());
        }
        for (Map.Entry<String, Integer> state : UNUSUAL.entrySet()) {
            int[] words = header.clone();
            Field.CONNECTION_STATE.put(words, state.getValue());
            if (site.reach(words, way.tracked) != Reach.NO) {
                return state.getKey();
            }
        }
        return "";
    }

    /** The header as it arrives, of which the rule saw what the log has. */
    private int[] header(LoggedPacket packet, LogSite site) {
        int[] words = packet.header().clone();
        if (site.isForwarded() && words[Field.TTL.word()] != 0) {
            Field.TTL.put(words, Math.min(0xff, Field.TTL.extract(words[Field.TTL.word()]) + 1));
        }
        if (packet.in() != null && !packet.in().isEmpty()) {
            Field.IN_INTERFACE.put(words, asked.value(packet.in(), true));
        }
        if (packet.out() != null && !packet.out().isEmpty()) {
            Field.OUT_INTERFACE.put(words, asked.value(packet.out(), true));
        }
        return words;
    }

    /** A contradiction of the policy's answer with what the log tells; empty: none. */
    private static String claim(LogSite site, FlatPolicy.@Nullable Answer ours) {
        String prefix = site.statement().prefix();
        boolean denies = DENIES.matcher(prefix).find();
        boolean permits = PERMITS.matcher(prefix).find();
        if (ours == null) {
            return "";
        }
        if (denies != permits && ours.outcome() != (denies ? Outcome.DENY : Outcome.PERMIT)) {
            return "the prefix says " + (denies ? "deny" : "permit");
        }
        PolicyRule next = site.next();
        if (next == null || !ours.sure() || ours.outcome() == Outcome.DEPENDS) {
            return "";
        }
        boolean decides =
                Stream.concat(Stream.of(ours.rule()), ours.earlier().stream())
                        .anyMatch(rule -> rule.origin().equals(next.origin()));
        return decides ? "" : "line " + next.origin().line() + " decides about what the rule logs";
    }
}
