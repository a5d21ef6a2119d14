package dev.sluice.job.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.rules.Step;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.history.RuleDiff;
import dev.sluice.operators.rules.serving.PolicyServer;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.policy.testing.RandomPolicies;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Policies as messages, and as versions that engines serve, beside their linear search. */
class PolicyServerTest {
    private static final int POLICIES = 40;
    private static final int VERSIONS = 6;
    private static final int PACKETS = 60;
    private static final EngineOptions ENGINE =
            EngineOptions.of(Algorithm.of("tuple")).withGpu(GpuPool.Selection.OFF);

    @Test
    void eachVersionOfAPolicyAnswersAsItsLinearSearch() throws Exception {
        int depends = 0;
        int applied = 0;
        for (int seed = 0; seed < POLICIES; seed++) {
            Random random = new Random(seed);
            RandomPolicies draw = new RandomPolicies(seed);
            Assumptions assumed =
                    new Assumptions(
                            seed % 3 == 0 ? null : ConnectionState.NEW,
                            "eth0",
                            seed % 2 == 0 ? null : "eth1");
            Policy drawn = draw.policy(seed % 2 == 0 ? 0 : 3);
            Policy policy = seed % 4 < 2 ? drawn : large(drawn);
            List<int[]> headers = new ArrayList<>();
            for (int i = 0; i < PACKETS; i++) {
                int[] header = draw.header();
                Field.CONNECTION_STATE.put(header, random.nextInt(4));
                headers.add(header);
            }
            int[] counted =
                    serve(policy, assumed, headers, p -> edited(p, draw, random), "seed " + seed);
            depends += counted[0];
            applied += counted[1];
        }
        assertTrue(depends > POLICIES * VERSIONS, "only " + depends + " packets depend");
        assertTrue(applied > POLICIES, "only " + applied + " versions are small changes");
    }

    /** Serves versions of a policy; returns how many packets depend, and how many are quick. */
    private static int[] serve(
            Policy first,
            Assumptions assumed,
            List<int[]> headers,
            UnaryOperator<Policy> edit,
            String where)
            throws Exception {
        int depends = 0;
        int applied = 0;
        Policy policy = first;
        RecordedHistory history = new RecordedHistory();
        List<ServedVersion> versions = new ArrayList<>();
        List<FlatPolicy> policies = new ArrayList<>();
        try (PolicyServer server = PolicyServer.open(ENGINE, 0)) {
            RuleSet before = null;
            for (int number = 1; number <= VERSIONS; number++) {
                FlatPolicy flat = FlatPolicy.of(List.of(policy), assumed, words(number));
                RuleSet file = flat.rules();
                RuleDelta delta = before == null ? null : RuleDiff.between(before, file.rules());
                for (byte[] message : messages(number, file, delta)) {
                    history.accept(message, 0);
                }
                RuleSet read = history.rules(number - 1);
                assertEquals(
                        before == null ? file.rules() : delta.applied(before, number).rules(),
                        read.rules());
                boolean quick = delta != null && server.takesQuickly(delta);
                applied += quick ? 1 : 0;
                versions.add(
                        quick || delta != null && number % 2 == 0
                                ? server.apply("h", number, delta)
                                : server.load("h", read));
                policies.add(flat);
                before = read;
                policy = edit.apply(policy);
            }
            // Each of them, although the engines have gone on.
            for (int i = 0; i < VERSIONS; i++) {
                assertEquals(i + 1, versions.get(i).version());
                assertEquals(words(i + 1), versions.get(i).assumed());
                depends += compare(policies.get(i), versions.get(i), headers, where);
            }
            versions.forEach(ServedVersion::close);
        }
        return new int[] {depends, applied};
    }

    /** The assumption that a version states. */
    private static String words(int number) {
        return number < 3 ? "" : "--policy-time " + number / 3;
    }

    @Test
    void elementsOfSetsComeAndGoOneByOne() throws Exception {
        int applied = 0;
        for (int seed = 0; seed < 4; seed++) {
            LargeSets sets = new LargeSets(seed);
            Assumptions assumed = new Assumptions(ConnectionState.NEW, null, null);
            applied += serve(sets.policy(), assumed, sets.headers(), p -> sets.edited(), "")[1];
        }
        assertTrue(applied > VERSIONS, "only " + applied + " versions are small changes");
    }

    @Test
    void oneElementMoreIsOneRecord() {
        LargeSets sets = new LargeSets(7);
        RuleSet before = FlatPolicy.of(sets.policy(), Assumptions.NONE).rules();
        sets.add(0x0b00_0001);
        RuleDelta delta =
                RuleDiff.between(
                        before, FlatPolicy.of(sets.policy(), Assumptions.NONE).rules().rules());
        assertEquals(List.of(), delta.removes());
        assertEquals(1, delta.inserts().size());
        assertEquals(Step.Kind.ELEMENT, delta.inserts().get(0).step().kind());
        int bytes = messages(2, before, delta).stream().mapToInt(message -> message.length).sum();
        int empty =
                messages(2, before, new RuleDelta(List.of(), List.of())).stream()
                        .mapToInt(message -> message.length)
                        .sum();
        assertTrue(bytes - empty < 100, bytes + " bytes, " + empty + " without the element");
    }

    /**
     * A policy that passes packets to another, by their connections' states first: together they
     * are too large for one list.
     */
    private static Policy large(Policy policy) {
        List<Stage> stages = new ArrayList<>();
        for (Field port : List.of(Field.SRC_PORT, Field.DST_PORT)) {
            List<PolicyRule> rules = states();
            for (int i = 0; i < 100; i++) {
                rules.add(permit(new Condition.In(port, ValueSet.of(i)), 2000 + rules.size()));
            }
            Map<String, List<PolicyRule>> chains = Map.of("ports", rules);
            PolicyRule end = permit(Condition.ALWAYS, 3000);
            stages.add(new Stage("ports " + stages.size(), "ports", chains, end, Vantage.PLAIN));
        }
        stages.addAll(policy.stages());
        return new Policy(policy.name(), policy.judges(), stages, null);
    }

    /** Rules for two states of connections. */
    private static List<PolicyRule> states() {
        List<PolicyRule> rules = new ArrayList<>();
        for (int state = 1; state < 3; state++) {
            Condition of = Condition.is(Field.CONNECTION_STATE, state);
            rules.add(rule(of, state == 1 ? Outcome.PERMIT : Outcome.DENY, 1000 + state));
        }
        return rules;
    }

    private static PolicyRule permit(Condition condition, int line) {
        return rule(condition, Outcome.PERMIT, line);
    }

    private static PolicyRule rule(Condition condition, Outcome outcome, int line) {
        Origin origin = new Origin("random", line, "ports", "", outcome + " " + line, null);
        return new PolicyRule(origin, condition, new Effect.Decide(outcome), "");
    }

    /** The transaction of a version: of all its rules, or of a change. */
    static List<byte[]> messages(long number, RuleSet rules, @Nullable RuleDelta delta) {
        Long base = delta == null ? null : number - 1;
        RuleChange begin =
                RuleChange.begin(
                        "%016x".formatted(number), // as long as those of publishers
                        "h",
                        number,
                        base,
                        number,
                        delta == null ? Kind.SNAPSHOT : Kind.DELTA,
                        rules.name(),
                        rules.defaultAction());
        return delta == null
                ? RuleSetMessages.snapshot(begin, rules.rules())
                : RuleSetMessages.delta(begin, delta);
    }

    /** A policy of which a rule is gone, or another is there. */
    private static Policy edited(Policy policy, RandomPolicies draw, Random random) {
        List<Stage> stages = new ArrayList<>(policy.stages());
        int at = random.nextInt(stages.size());
        Stage stage = stages.get(at);
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>(stage.chains());
        List<String> names = List.copyOf(chains.keySet());
        String chain = names.get(random.nextInt(names.size()));
        List<PolicyRule> rules = new ArrayList<>(chains.get(chain));
        if (!rules.isEmpty() && random.nextBoolean()) {
            rules.remove(random.nextInt(rules.size()));
        } else {
            Outcome outcome = random.nextBoolean() ? Outcome.PERMIT : Outcome.DENY;
            String text = "added " + random.nextInt();
            Origin origin =
                    new Origin("random", 1000 + random.nextInt(1000), chain, "", text, null);
            Condition condition = draw.condition(2, 0);
            rules.add(
                    random.nextInt(rules.size() + 1),
                    new PolicyRule(origin, condition, new Effect.Decide(outcome), ""));
        }
        chains.put(chain, rules);
        stages.set(at, new Stage(stage.name(), stage.base(), chains, stage.end(), stage.vantage()));
        return new Policy(policy.name(), policy.judges(), stages, null);
    }

    /** Compares the answers; returns how many packets depend. */
    private static int compare(
            FlatPolicy flat, ServedVersion version, List<int[]> headers, String where) {
        HeaderBatch batch = new HeaderBatch(version.layout(), headers.size());
        headers.forEach(batch::add);
        VerdictBatch verdicts = new VerdictBatch(headers.size());
        version.submit(batch, verdicts).await();
        int depends = 0;
        for (int i = 0; i < headers.size(); i++) {
            Answer expected = flat.judge(headers.get(i));
            assertTrue(expected != null);
            Rule rule = version.rule(verdicts.rule(i));
            assertEquals(rule.id(), version.ruleId(verdicts.rule(i)));
            String packet = where + " version " + version.version() + " packet " + i;
            assertEquals(expected.rule().origin().line(), rule.line(), packet);
            String outcome = version.outcome(verdicts.rule(i)).name();
            assertEquals(expected.outcome().name(), outcome, packet);
            depends += rule.isDepends() ? 1 : 0;
            List<Integer> earlier = new ArrayList<>();
            for (int stage = 0; stage < version.earlierStages(); stage++) {
                int verdict = verdicts.earlier(stage)[i];
                if (verdict != VerdictBatch.MISS) {
                    earlier.add(version.rule(verdict).line());
                }
            }
            assertEquals(
                    expected.earlier().stream().map(passed -> passed.origin().line()).toList(),
                    earlier,
                    packet);
        }
        return depends;
    }

    @Test
    void smallEditOfAPolicyIsASmallDelta() {
        List<PolicyRule> rules = new ArrayList<>();
        for (int line = 1; line <= 200; line++) {
            rules.add(rule(line, line));
        }
        RuleSet before = flat(rules).rules();
        rules.set(100, rule(101, 5000));
        RuleDelta edited = RuleDiff.between(before, flat(rules).rules().rules());
        assertEquals(2, edited.removes().size(), "an answer and a box");
        assertEquals(2, edited.inserts().size());
        assertTrue(edited.shifts().isEmpty());

        List<PolicyRule> more = new ArrayList<>(List.of(rule(1, 7000)));
        for (int i = 0; i < rules.size(); i++) {
            PolicyRule rule = rules.get(i);
            more.add(rule(i + 2, rule.origin().text()));
        }
        RuleDelta inserted = RuleDiff.between(flat(rules).rules(), flat(more).rules().rules());
        assertEquals(List.of(), inserted.removes());
        assertEquals(2, inserted.inserts().size());
        assertEquals(1, inserted.shifts().size());
    }

    private static PolicyRule rule(int line, int port) {
        return rule(line, "port " + port);
    }

    private static PolicyRule rule(int line, String text) {
        int port = Integer.parseInt(text.substring("port ".length()));
        return new PolicyRule(
                new Origin("file", line, "c", "", text, null),
                new Condition.In(Field.DST_PORT, ValueSet.of(port)),
                new Effect.Decide(Outcome.PERMIT),
                "ACCEPT");
    }

    private static FlatPolicy flat(List<PolicyRule> rules) {
        PolicyRule end =
                new PolicyRule(
                        new Origin("file", 0, "c", "", "end", null),
                        Condition.ALWAYS,
                        new Effect.Decide(Outcome.DENY),
                        "DROP");
        Stage stage = new Stage("s", "c", Map.of("c", rules), end, Vantage.PLAIN);
        return FlatPolicy.of(
                new Policy("p", Condition.ALWAYS, List.of(stage), null), Assumptions.NONE);
    }

    @Test
    void rulesThatAreNoWalkAreRefused() {
        Match all = new Match.Builder().build();
        Step answer = new Step(Step.Kind.ANSWER, true, 0, 7, 0, 0);
        Step stage = new Step(Step.Kind.STAGE, true, 0, 7, 0, 1);
        Step toTwo = new Step(Step.Kind.GO, false, 1, 0, 0, 2);
        Step toOne = new Step(Step.Kind.GO, false, 2, 0, 0, 1);
        Step unanswered = new Step(Step.Kind.DECIDE, true, 1, 8, 0, 0);
        try (PolicyServer server = PolicyServer.open(ENGINE, 0)) {
            server.load("", set(all, answer, stage)).close();
            assertTrue(refusal(server, set(all, answer, stage, toTwo, toOne)).contains("itself"));
            assertTrue(refusal(server, set(all, answer)).contains("no stage"));
            assertTrue(refusal(server, set(all, answer, stage, unanswered)).contains("missing"));
            RuleDelta plain =
                    RuleDelta.insert(new Rule(99, 0, all, "drop", 0).at(Place.of(new byte[] {1})));
            assertFalse(server.takesQuickly(plain));
            assertThrows(UnsupportedRulesException.class, () -> server.apply("", 2, plain));
            RuleSet alone = RuleSet.of("alone", 3, "drop", List.of(new Rule(5, 0, all, "a", 1)));
            server.load("", alone).close();
            assertEquals(alone.rules(), server.rules().rules());
        }
    }

    private static String refusal(PolicyServer server, RuleSet rules) {
        return String.valueOf(
                assertThrows(UnsupportedRulesException.class, () -> server.load("", rules))
                        .getMessage());
    }

    private static RuleSet set(Match match, Step... steps) {
        List<Rule> rules = new ArrayList<>();
        for (Step step : steps) {
            rules.add(new Rule(rules.size(), 0, match, "", 0, Place.NONE, "", step));
        }
        return RuleSet.of("policy", 1, "drop", rules);
    }
}
