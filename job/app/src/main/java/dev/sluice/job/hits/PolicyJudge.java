package dev.sluice.job.hits;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Look-ups in all lists of a policy, and the walk that puts their verdicts together. */
final class PolicyJudge implements Judge {
    private final FlatPolicy policy;
    private final PolicyAnswers answers;
    private final List<Part> parts = new ArrayList<>();
    private final int[][] found;
    private final int[] verdicts;
    private final IntUnaryOperator lookUp = this::found;
    private int packet;

    /** A list, and a batch with the words that it looks at. */
    private record Part(RuleSetJudge judge, HeaderBatch headers) {
        /** Judges headers of a batch that holds more words. */
        int[] judge(HeaderBatch all) {
            headers.clear(headers.layout());
            for (int p = 0; p < headers.layout().size(); p++) {
                int from = all.layout().position(headers.layout().word(p));
                System.arraycopy(
                        all.words(),
                        from * all.capacity(),
                        headers.words(),
                        p * headers.capacity(),
                        all.size());
            }
            headers.size(all.size());
            return judge.judge(headers);
        }
    }

    /**
     * Compiles the lists of a policy.
     *
     * @param most most headers of a batch
     */
    PolicyJudge(PolicyFile file, int most) {
        verdicts = new int[most];
        policy = file.flat();
        answers = new PolicyAnswers(file);
        for (RuleSet list : policy.lists()) {
            RuleSetJudge judge = new RuleSetJudge(list, most);
            parts.add(new Part(judge, judge.newBatch(most)));
        }
        found = new int[parts.size()][];
    }

    @Override
    public RuleSet answers() {
        return answers.rules();
    }

    @Override
    public HeaderBatch newBatch(int capacity) {
        long words = 0;
        for (RuleSet list : policy.lists()) {
            words |= list.layout().wordBits();
        }
        return new HeaderBatch(HeaderLayout.ofWordBits(words), capacity);
    }

    @Override
    public int[] judge(HeaderBatch headers) {
        for (int i = 0; i < parts.size(); i++) {
            found[i] = parts.get(i).judge(headers);
        }
        for (packet = 0; packet < headers.size(); packet++) {
            FlatPolicy.Answer answer = policy.answer(lookUp);
            verdicts[packet] = answer == null ? VerdictBatch.MISS : answers.number(answer);
        }
        return verdicts;
    }

    private int found(int list) {
        return found[list][packet];
    }

    @Override
    public void close() {
        parts.forEach(part -> part.judge.close());
    }
}
