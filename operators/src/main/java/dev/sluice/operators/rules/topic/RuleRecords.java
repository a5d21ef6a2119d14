package dev.sluice.operators.rules.topic;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;
import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange.RuleRecord;
import dev.sluice.schemas.codec.RuleChange.StepKind;
import dev.sluice.schemas.codec.RuleChange.StepRecord;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Turns rules of the engine into rules as they travel in messages, and back. */
public final class RuleRecords {
    private static final int ANY_PORT = 0xffff;

    private RuleRecords() {}

    /** A rule as it travels. */
    public static RuleRecord of(Rule rule) {
        Match match = rule.match();
        int[] triples = new int[3 * HeaderWord.COUNT];
        int n = 0;
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            if (match.mask(w) != 0) {
                triples[n++] = w;
                triples[n++] = match.value(w);
                triples[n++] = match.mask(w);
            }
        }
        return new RuleRecord(
                rule.id(),
                rule.priority(),
                rule.line(),
                rule.action(),
                Arrays.copyOf(triples, n),
                match.srcPorts() == ANY_PORT ? null : match.srcPorts(),
                match.dstPorts() == ANY_PORT ? null : match.dstPorts(),
                rule.place().bytes(),
                rule.text(),
                step(rule.step()));
    }

    /**
     * A rule that travelled.
     *
     * @throws MalformedMessageException if it names an unknown header word, a value outside its
     *     mask or an empty port range, or its place ends in 0
     */
    public static Rule toRule(RuleRecord record) throws MalformedMessageException {
        Match.Builder match = new Match.Builder();
        int[] words = record.words();
        for (int i = 0; i < words.length; i += 3) {
            if (words[i] < 0
                    || words[i] >= HeaderWord.COUNT
                    || words[i] == HeaderWord.SETS && record.step() == null
                    || (words[i + 1] & ~words[i + 2]) != 0) {
                throw new MalformedMessageException(
                        DeadLetterReason.RULES_MATCH_WORDS,
                        "rule %d: word %d, value %08x, mask %08x"
                                .formatted(record.id(), words[i], words[i + 1], words[i + 2]));
            }
            match.word(words[i], words[i + 1], words[i + 2]);
        }
        ports(match, Field.SRC_PORT, record.srcPorts(), record.id());
        ports(match, Field.DST_PORT, record.dstPorts(), record.id());
        return new Rule(
                record.id(),
                record.priority(),
                match.build(),
                record.action(),
                record.line(),
                place(record),
                record.text(),
                toStep(record.step()));
    }

    private static @Nullable StepRecord step(@Nullable Step step) {
        return step == null
                ? null
                : new StepRecord(
                        StepKind.valueOf(step.kind().name()),
                        step.permits(),
                        step.segment(),
                        step.rule(),
                        step.unknown(),
                        step.to());
    }

    private static @Nullable Step toStep(@Nullable StepRecord step) {
        return step == null
                ? null
                : new Step(
                        Step.Kind.valueOf(step.kind().name()),
                        step.permits(),
                        step.segment(),
                        step.rule(),
                        step.unknown(),
                        step.to());
    }

    private static Place place(RuleRecord record) throws MalformedMessageException {
        byte[] bytes = record.place();
        if (bytes.length == 0) {
            return Place.NONE;
        }
        if (bytes[bytes.length - 1] == 0) {
            throw new MalformedMessageException(
                    DeadLetterReason.RULES_PLACE,
                    "the place of rule "
                            + record.id()
                            + " ends in a byte 0, before which there is no room");
        }
        return Place.of(bytes);
    }

    private static void ports(Match.Builder match, Field field, @Nullable Integer range, long id)
            throws MalformedMessageException {
        if (range == null) {
            return;
        }
        if (range >>> 16 > (range & 0xffff)) {
            throw new MalformedMessageException(
                    DeadLetterReason.RULES_PORT_RANGE, "rule " + id + " has an empty one");
        }
        match.ports(field, range >>> 16, range & 0xffff);
    }
}
