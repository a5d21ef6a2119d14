package dev.sluice.job.hostile;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same readers under Jazzer, which looks for inputs that reach code that no input reached
 * before: {@code ./sluice test --fuzz NAME}. Not among the tests that always run, since Jazzer
 * instruments the process; {@link HostileInputTest} is, with all inputs that are kept here.
 */
class HostileInputFuzz {
    private static final String ROUND = "1m";

    static Stream<byte[]> headersSeeds() throws IOException {
        return HostileSeeds.of(HostileTarget.HEADERS).stream();
    }

    static Stream<byte[]> captureSeeds() throws IOException {
        return HostileSeeds.of(HostileTarget.CAPTURE).stream();
    }

    static Stream<byte[]> messageSeeds() throws IOException {
        return HostileSeeds.of(HostileTarget.MESSAGE).stream();
    }

    static Stream<byte[]> rulesSeeds() throws IOException {
        return HostileSeeds.of(HostileTarget.RULES).stream();
    }

    static Stream<byte[]> transactionsSeeds() throws IOException {
        return HostileSeeds.of(HostileTarget.TRANSACTIONS).stream();
    }

    static Stream<byte[]> traceSeeds() throws IOException {
        return HostileSeeds.of(HostileTarget.TRACE).stream();
    }

    static Stream<byte[]> parametersSeeds() throws IOException {
        return HostileSeeds.of(HostileTarget.PARAMETERS).stream();
    }

    @MethodSource("headersSeeds")
    @FuzzTest(maxDuration = ROUND)
    void headers(byte[] input) throws Exception {
        HostileTarget.HEADERS.read(input);
    }

    @MethodSource("captureSeeds")
    @FuzzTest(maxDuration = ROUND)
    void capture(byte[] input) throws Exception {
        HostileTarget.CAPTURE.read(input);
    }

    @MethodSource("messageSeeds")
    @FuzzTest(maxDuration = ROUND)
    void message(byte[] input) throws Exception {
        HostileTarget.MESSAGE.read(input);
    }

    @MethodSource("rulesSeeds")
    @FuzzTest(maxDuration = ROUND)
    void rules(byte[] input) throws Exception {
        HostileTarget.RULES.read(input);
    }

    @MethodSource("transactionsSeeds")
    @FuzzTest(maxDuration = ROUND)
    void transactions(byte[] input) throws Exception {
        HostileTarget.TRANSACTIONS.read(input);
    }

    @MethodSource("traceSeeds")
    @FuzzTest(maxDuration = ROUND)
    void trace(byte[] input) throws Exception {
        HostileTarget.TRACE.read(input);
    }

    @MethodSource("parametersSeeds")
    @FuzzTest(maxDuration = ROUND)
    void parameters(byte[] input) throws Exception {
        HostileTarget.PARAMETERS.read(input);
    }
}
