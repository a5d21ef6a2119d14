package dev.sluice.job.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Rules that change at the engine's door while batches of several versions are under way on the
 * device: each batch gets what linear search finds in the rules of its own version.
 */
final class VersionsCheck implements Check {
    private static final int DELTAS = 60;
    private static final int BATCH = 2048;

    private final int device;
    private final TestSet set;
    private final OffloadPreference mode;
    private long versions;
    private long changed;
    private int algorithms;

    /**
     * A check.
     *
     * @param device number of the device
     * @param mode how batches go there
     */
    VersionsCheck(int device, TestSet set, String mode) {
        this.device = device;
        this.set = set;
        this.mode = OffloadPreference.parse(mode);
    }

    @Override
    public String run(Findings findings) {
        List<AlgorithmChoice> choices = new ArrayList<>();
        Algorithm.all().forEach(algorithm -> choices.add(AlgorithmChoice.of(algorithm)));
        choices.add(AlgorithmChoice.AUTO);
        for (AlgorithmChoice choice : choices) {
            EngineOptions options =
                    EngineOptions.DEFAULTS
                            .withAlgorithm(choice)
                            .withGpu(new GpuPool.Selection(false, List.of(device)))
                            .withOffload(mode.decided());
            try (Engine engine = Engine.open(set.rules(), options)) {
                if (engine.current().onDevice()) {
                    deltas(engine, findings);
                    algorithms++;
                } else {
                    findings.leaveOut(
                            "versions in flight", choice.label(), "no kernel reads its image");
                }
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                findings.leaveOut("versions in flight", choice.label(), Findings.reason(e));
            }
        }
        return "versions in flight (%s): %,d of %,d over the bases of %d algorithms, auto's among them, with changes, %,d verdicts, %,d wrong"
                .formatted(
                        mode.decided().orElse(OffloadMode.PLAIN).describe(),
                        changed,
                        versions,
                        algorithms,
                        findings.compared(),
                        findings.wrong());
    }

    /** A batch under way. */
    private record Flight(
            RuleSetVersion version, PendingVerdicts pending, VerdictBatch verdicts, int number) {}

    private void deltas(Engine engine, Findings findings) {
        SplittableRandom random = new SplittableRandom(13);
        Story story = new Story(set.rules(), random);
        List<Flight> flights = new ArrayList<>();
        int batches = Math.max(1, set.trace().size() / BATCH);
        for (int step = 0; step < DELTAS; step++) {
            RuleSetVersion version = engine.apply(2 + step, story.delta());
            int number = step % batches;
            HeaderBatch batch = set.trace().batches(version.layout(), BATCH).get(number);
            VerdictBatch verdicts = new VerdictBatch(BATCH);
            flights.add(
                    new Flight(version, engine.submit(version, batch, verdicts), verdicts, number));
            while (flights.size() > random.nextInt(IN_FLIGHT + 1)) {
                land(flights.remove(random.nextInt(flights.size())), findings);
            }
        }
        flights.forEach(flight -> land(flight, findings));
        EngineFigures figures = engine.figures();
        if (figures.fallBacks() > 0 || figures.cpuBatches() > 0) {
            throw new IllegalStateException("the CPU answered in the device's place");
        }
    }

    private void land(Flight flight, Findings findings) {
        flight.pending.await();
        RuleSetVersion version = flight.version;
        RuleSet rules = version.rules();
        Classifier linear = Engine.compile(rules, EngineOptions.of(Algorithm.of("linear")));
        HeaderBatch batch = set.trace().batches(linear.layout(), BATCH).get(flight.number);
        VerdictBatch expected = new VerdictBatch(BATCH);
        linear.classify(batch, expected);
        long differ = 0;
        boolean came = false;
        for (int i = 0; i < batch.size(); i++) {
            int position = expected.rule(i);
            int verdict = flight.verdicts.rule(i);
            boolean right =
                    position < 0
                            ? verdict < 0
                            : verdict >= 0
                                    && version.ruleId(verdict) == rules.rules().get(position).id();
            differ += right ? 0 : 1;
            came |= verdict >= set.rules().size();
        }
        findings.add(batch.size(), differ);
        versions++;
        changed += came ? 1 : 0;
        version.close();
    }

    /** Rules that go, come back elsewhere, move, and change their actions. */
    private static final class Story {
        private final SplittableRandom random;
        private final List<Rule> in;
        private final List<Rule> out = new ArrayList<>();

        /** Places that are taken, by priority. */
        private final Map<Integer, Set<Place>> taken = new HashMap<>();

        Story(RuleSet rules, SplittableRandom random) {
            this.random = random;
            this.in = new ArrayList<>(rules.rules());
            in.forEach(rule -> placesOf(rule).add(rule.place()));
        }

        private Set<Place> placesOf(Rule rule) {
            return taken.computeIfAbsent(rule.priority(), p -> new HashSet<>());
        }

        RuleDelta delta() {
            List<Long> removes = new ArrayList<>();
            List<Rule> inserts = new ArrayList<>();
            Set<Long> named = new HashSet<>();
            for (int k = random.nextInt(12); k > 0; k--) {
                Rule rule = in.get(random.nextInt(in.size()));
                if (!named.add(rule.id())) {
                    continue;
                }
                in.remove(rule);
                if (random.nextInt(4) == 0) {
                    Rule other =
                            new Rule(
                                    rule.id(),
                                    rule.priority(),
                                    rule.match(),
                                    rule.action() + "!",
                                    rule.line(),
                                    rule.place(),
                                    rule.text());
                    inserts.add(other);
                } else {
                    placesOf(rule).remove(rule.place());
                    if (random.nextInt(3) == 0) {
                        inserts.add(elsewhere(rule));
                    } else {
                        removes.add(rule.id());
                        out.add(rule);
                    }
                }
            }
            for (int k = random.nextInt(12); k > 0 && !out.isEmpty(); k--) {
                Rule rule = out.remove(random.nextInt(out.size()));
                if (named.add(rule.id())) {
                    inserts.add(elsewhere(rule));
                } else {
                    out.add(rule);
                }
            }
            in.addAll(inserts);
            return new RuleDelta(removes, inserts);
        }

        /** The rule before or behind another one, or at an end. */
        private Rule elsewhere(Rule rule) {
            Rule near = in.get(random.nextInt(in.size()));
            Place place = near.place();
            while (!placesOf(near).add(place)) {
                place =
                        random.nextBoolean()
                                ? Place.between(place, null)
                                : Place.between(null, place);
            }
            return new Rule(
                    rule.id(),
                    near.priority(),
                    rule.match(),
                    rule.action(),
                    rule.line(),
                    place,
                    rule.text());
        }
    }
}
