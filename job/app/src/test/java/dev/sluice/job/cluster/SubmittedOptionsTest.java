package dev.sluice.job.cluster;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class SubmittedOptionsTest {
    private static SubmittedOptions job(String prefix, String kafka) {
        return new SubmittedOptions(List.of(), prefix, kafka);
    }

    @Test
    void jobsFenceEachOtherByOnePrefixInOneKafkaAlone() {
        assertTrue(job("a", "k").fences(job("a", "k")));
        assertFalse(job("a", "k").fences(job("b", "k")));
        assertFalse(job("a", "k").fences(job("a", "other")));
    }

    @Test
    void aJobThatDoesNotSayWhichKafkaItHasIsTakenToHaveThisOne() {
        assertTrue(job("a", "k").fences(job("a", "")));
        assertFalse(job("a", "k").fences(job("", "")), "a job that is none of ours");
    }
}
