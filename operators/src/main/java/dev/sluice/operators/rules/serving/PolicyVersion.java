package dev.sluice.operators.rules.serving;

import dev.sluice.engine.CountedRules;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.SelectedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.walk.FirstLook;
import dev.sluice.engine.walk.FoundBoxes;
import dev.sluice.engine.walk.LeadingBoxes;
import dev.sluice.engine.walk.Walk;
import dev.sluice.engine.walk.Walk.Move;
import dev.sluice.engine.walk.WalkMemory;
import dev.sluice.engine.walk.WalkSets;
import dev.sluice.engine.walk.Walker;
import dev.sluice.engine.walk.WholeList;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Version of a policy of chains. A verdict is an answer of its {@link Walk}. Packets are looked up
 * in the list of the whole policy, or walk: those of a batch that come to a part are gathered and
 * looked up there together.
 */
final class PolicyVersion implements ServedVersion {
    private static final int NOT_MET = -1;

    private final String history;
    private final RuleSet rules;
    private final String assumed;
    private final Walk walk;
    private final @Nullable WholeList whole;
    private final @Nullable FirstLook first;
    private final WalkSets sets;
    private final List<PartEngine> engines;
    private final List<RuleSetVersion> parts;

    /** Leading boxes of each part; their numbers stand behind those of the part's version. */
    private final List<LeadingBoxes> leading;

    private final HeaderLayout layout;
    private final int connectionBits;
    private final Queue<Memory> memory;

    /** The move of each verdict of each part, as far as one was met; written by any thread. */
    private final Move[][] moves;

    /** The result of each box of the list, as far as one was met; written by any thread. */
    private final int[] results;

    /** The outcome of each answer, as far as one was asked for; written by any thread. */
    private final @Nullable VerdictOutcome[] outcomes;

    private final long[] answerIds;
    private final AtomicInteger holders = new AtomicInteger(1);

    /** Memory of a batch's look-ups, which batches use one after the other. */
    static final class Memory {
        private final WalkMemory walks = new WalkMemory();
        private final SelectedHeaders selected = new SelectedHeaders(0);
        private VerdictBatch verdicts = new VerdictBatch(0);

        /** Packets that have to walk, their answers, and what the first look needs. */
        private final SelectedHeaders walking = new SelectedHeaders(0);

        private VerdictBatch walked = new VerdictBatch(0);
        private FirstLook.Room first = new FirstLook.Room(0);

        /** Numbers of packets, from 0. */
        private int[] all = new int[0];

        // Boxes of packets; places and numbers of those that no leading box holds.
        private int[] boxes = new int[0];
        private int[] places = new int[0];
        private int[] left = new int[0];
    }

    /**
     * A version that the caller holds.
     *
     * @param lookUps the parts
     * @param engines of the parts, each retained for the version
     * @param parts versions of the engines, each retained for the version
     * @param memory used by batches of all versions
     * @param before the version before; null: none
     */
    PolicyVersion(
            String history,
            RuleSet rules,
            Walk walk,
            LookUps lookUps,
            List<PartEngine> engines,
            List<RuleSetVersion> parts,
            Queue<Memory> memory,
            @Nullable PolicyVersion before) {
        this.history = history;
        this.rules = rules;
        assumed = rules.assumed();
        this.walk = walk;
        whole = lookUps.whole();
        first = whole == null ? FirstLook.of(walk) : null;
        sets = lookUps.sets();
        this.engines = engines;
        this.parts = parts;
        this.memory = memory;
        long words = 0;
        for (RuleSetVersion part : parts) {
            words |= part.layout().wordBits(); // with words of rules that are gone
        }
        layout = HeaderLayout.ofWordBits(words);
        connectionBits =
                layout.position(HeaderWord.CONNECTION) < 0 ? 0 : StatefulJudge.asked(rules.rules());
        moves = new Move[parts.size()][0];
        leading =
                IntStream.range(0, parts.size())
                        .mapToObj(part -> LeadingBoxes.of(lookUps.boxes().get(part)))
                        .toList();
        results = new int[whole == null ? 0 : parts.get(0).slots() + leading.get(0).size()];
        Arrays.fill(results, NOT_MET);
        long[] ids = walk.answers().stream().mapToLong(Rule::id).toArray();
        outcomes = new VerdictOutcome[ids.length];
        answerIds = before != null && Arrays.equals(before.answerIds, ids) ? before.answerIds : ids;
    }

    RuleSet ruleSet() {
        return rules;
    }

    @Override
    public String history() {
        return history;
    }

    @Override
    public long version() {
        return rules.version();
    }

    @Override
    public int slots() {
        return answerIds.length;
    }

    @Override
    public boolean numbersAlike(CountedRules other) {
        return other instanceof PolicyVersion that && that.answerIds == answerIds;
    }

    @Override
    public String defaultAction() {
        return rules.defaultAction();
    }

    @Override
    public int earlierStages() {
        return walk.earlierStages();
    }

    @Override
    public VerdictOutcome outcome(int verdict) {
        if (verdict == VerdictBatch.MISS) {
            return VerdictOutcome.NOT_JUDGED;
        }
        VerdictOutcome known = outcomes[verdict];
        if (known == null) {
            known = rule(verdict).outcome();
            outcomes[verdict] = known;
        }
        return known;
    }

    @Override
    public String assumed() {
        return assumed;
    }

    @Override
    public int connectionBits() {
        return connectionBits;
    }

    @Override
    public HeaderLayout layout() {
        return layout;
    }

    @Override
    public Rule rule(int verdict) {
        return walk.answers().get(verdict);
    }

    @Override
    public long ruleId(int verdict) {
        return answerIds[verdict];
    }

    /** {@inheritDoc} The verdicts are there on return. */
    @Override
    public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
        Memory room = memory.poll();
        if (room == null) {
            room = new Memory();
        }
        Batch batch = new Batch(headers, room);
        if (whole != null) {
            lookUp(whole, batch, verdicts);
            memory.add(room);
            return PendingVerdicts.READY;
        }
        int[] answers = verdicts.rules();
        int left = headers.size();
        if (first != null) {
            left = first.answer(headers, batch, room.all, answers, room.first);
        }
        if (left == headers.size()) {
            walk(batch, verdicts);
        } else if (left > 0) {
            int[] which = room.first.left();
            HeaderBatch some = room.walking.take(headers.layout(), headers, which, 0, left);
            walk(new Batch(some, room), room.walked);
            for (int k = 0; k < left; k++) {
                answers[which[k]] = room.walked.rule(k);
            }
        }
        memory.add(room);
        return PendingVerdicts.READY;
    }

    private void walk(Batch batch, VerdictBatch verdicts) {
        int count = batch.headers.size();
        Walker walker = new Walker(walk, batch, count, batch.room.walks);
        walker.answer(verdicts.rules());
        for (int stage = 0; stage < earlierStages(); stage++) {
            int[] earlier = verdicts.earlier(stage);
            for (int packet = 0; packet < count; packet++) {
                earlier[packet] = walker.earlier(packet, stage);
            }
        }
    }

    private void lookUp(WholeList list, Batch batch, VerdictBatch verdicts) {
        int count = batch.headers.size();
        int[] boxes = batch.in(0, count);
        int[][] answers = list.answers();
        for (int stage = 0; stage < answers.length; stage++) {
            int[] ofResults = answers[stage];
            int[] to = stage == 0 ? verdicts.rules() : verdicts.earlier(stage - 1);
            for (int packet = 0; packet < count; packet++) {
                int result = results[boxes[packet]];
                to[packet] = ofResults[result == NOT_MET ? meet(list, boxes[packet]) : result];
            }
        }
    }

    /** Notes the result of a box that is met for the first time. */
    private int meet(WholeList list, int box) {
        int result = list.result(rule(0, box));
        results[box] = result;
        return result;
    }

    /** The box of a number in a part. */
    private Rule rule(int part, int box) {
        RuleSetVersion version = parts.get(part);
        int last = box - version.slots();
        return last < 0 ? version.rule(box) : leading.get(part).box(last);
    }

    /** A batch on its walk. */
    private final class Batch implements FoundBoxes {
        private final HeaderBatch headers;
        private final Memory room;

        /** Sets that the packets were looked up in, by their bits. */
        private int knownSets;

        Batch(HeaderBatch headers, Memory room) {
            this.headers = headers;
            this.room = room;
            if (room.verdicts.rules().length < headers.size()) {
                room.verdicts = new VerdictBatch(headers.capacity());
                room.all = IntStream.range(0, headers.capacity()).toArray();
                room.walked = new VerdictBatch(headers.capacity());
                room.first = new FirstLook.Room(headers.capacity());
                room.boxes = new int[headers.capacity()];
                room.places = new int[headers.capacity()];
                room.left = new int[headers.capacity()];
            }
        }

        /** The boxes of all packets in a part. */
        int[] in(int part, int count) {
            RuleSetVersion version = parts.get(part);
            if (!version.layout().equals(headers.layout()) || leading.get(part).size() > 0) {
                return in(part, room.all, count);
            }
            lookUpSets(part);
            version.submit(headers, room.verdicts).await();
            return room.verdicts.rules();
        }

        @Override
        public int[] in(int part, int[] packets, int count) {
            LeadingBoxes first = leading.get(part);
            if (first.size() == 0) {
                return lookUpAll(part, packets, count);
            }
            int[] boxes = room.boxes;
            int slots = parts.get(part).slots();
            int left = first.find(headers, packets, count, slots, boxes, room.places);
            for (int k = 0; k < left; k++) {
                room.left[k] = packets[room.places[k]];
            }
            if (left > 0) {
                int[] found = lookUpAll(part, room.left, left);
                for (int k = 0; k < left; k++) {
                    boxes[room.places[k]] = found[k];
                }
            }
            return boxes;
        }

        private int[] lookUpAll(int part, int[] packets, int count) {
            lookUpSets(part);
            return lookUp(part, packets, count);
        }

        @Override
        public int word(int word, int packet) {
            return headers.words()[headers.layout().position(word) * headers.capacity() + packet];
        }

        private void lookUpSets(int part) {
            for (int left = sets.askedBy(part) & ~knownSets; left != 0; left &= left - 1) {
                lookUpSet(Integer.numberOfTrailingZeros(left));
            }
        }

        private int[] lookUp(int part, int[] packets, int count) {
            RuleSetVersion version = parts.get(part);
            HeaderBatch asked = room.selected.take(version.layout(), headers, packets, 0, count);
            version.submit(asked, room.verdicts).await();
            return room.verdicts.rules();
        }

        /** Writes into the headers of all packets whether they are in a set. */
        private void lookUpSet(int bit) {
            int[] found = lookUp(sets.part(bit), room.all, headers.size());
            int[] words = headers.words();
            int column = headers.layout().position(HeaderWord.SETS) * headers.capacity();
            for (int packet = 0; packet < headers.size(); packet++) {
                int others = words[column + packet] & ~(1 << bit);
                int in = found[packet] == VerdictBatch.MISS ? 0 : 1;
                words[column + packet] = others | in << bit;
            }
            knownSets |= 1 << bit;
        }

        @Override
        public Move move(int part, int box) {
            Move[] known = moves[part];
            Move move = known.length == 0 ? null : known[box];
            return move == null ? newMove(part, box) : move;
        }

        private Move newMove(int part, int box) {
            Move[] known = moves[part];
            if (known.length == 0) {
                known = new Move[parts.get(part).slots() + leading.get(part).size()];
                moves[part] = known;
            }
            Move move = walk.move(rule(part, box));
            known[box] = move;
            return move;
        }
    }

    @Override
    public PolicyVersion retain() {
        if (holders.getAndUpdate(before -> before > 0 ? before + 1 : 0) == 0) {
            throw new IllegalStateException(
                    "version %d of '%s' is closed".formatted(version(), rules.name()));
        }
        return this;
    }

    @Override
    public void close() {
        if (holders.decrementAndGet() == 0) {
            parts.forEach(RuleSetVersion::close);
            engines.forEach(PartEngine::release);
        }
    }
}
