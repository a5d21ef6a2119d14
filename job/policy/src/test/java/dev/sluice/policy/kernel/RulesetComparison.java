package dev.sluice.policy.kernel;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.kernel.KernelAnswer.Step;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.header.Field;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The importer's answers about packets beside the kernel's, of a ruleset of nftables as text and as
 * JSON: whether a packet passes, and the line that decides.
 */
final class RulesetComparison {
    /** Name of the file with the text that the kernel was given, whose lines are not the list's. */
    private static final String GIVEN = "given.nft";

    private final NftDump held;
    private final List<String> devices;
    private final List<Path> files;
    private final Map<String, PolicyFile> read = new HashMap<>();
    private ConnectionState assumed = ConnectionState.NEW;

    /** Outcome of a comparison. */
    enum Result {
        /** The kernel's word is no rule's. */
        NONE,
        DEPENDS,
        PASSES,
        DENIES,
        DIFFERS
    }

    /** Words on the last packet that differed. */
    private String words = "";

    /**
     * Makes a comparison.
     *
     * @param held what the kernel holds
     * @param forms the texts that the importer reads, by the names of the files to write them to
     */
    RulesetComparison(Path folder, NftDump held, Map<String, String> forms, List<String> devices)
            throws IOException {
        this.held = held;
        this.devices = devices;
        this.files = new ArrayList<>();
        for (Map.Entry<String, String> form : forms.entrySet()) {
            files.add(Files.writeString(folder.resolve(form.getKey()), form.getValue()));
        }
    }

    /** Returns a comparison of both forms of what the kernel holds. */
    static RulesetComparison ofBoth(Path folder, NftDump held, List<String> devices)
            throws IOException {
        Map<String, String> forms = Map.of("list.nft", held.text(), "list.json", held.json());
        return new RulesetComparison(folder, held, forms, devices);
    }

    /**
     * Returns a comparison of both forms of what the kernel holds, and of the text it was given.
     */
    static RulesetComparison ofAll(Path folder, NftDump held, String given, List<String> devices)
            throws IOException {
        Map<String, String> forms =
                Map.of("list.nft", held.text(), "list.json", held.json(), GIVEN, given);
        return new RulesetComparison(folder, held, forms, devices);
    }

    /** Lets packets be of connections of a state, other than NEW. */
    RulesetComparison assuming(ConnectionState state) {
        assumed = state;
        return this;
    }

    /** Returns the policies that the importer reads for packets like this one, one a form. */
    List<PolicyFile> policies(ProbePacket packet) {
        return files.stream().map(file -> policy(file, packet)).toList();
    }

    /** Returns whether chains stand on the way of a packet. */
    boolean holds(ProbePacket packet) {
        try {
            return !policies(packet).isEmpty();
        } catch (SluiceException e) {
            if (String.valueOf(e.getMessage()).contains("holds no policy")) {
                return false;
            }
            throw e;
        }
    }

    private PolicyFile policy(Path file, ProbePacket packet) {
        boolean arrives = packet.hook() != ProbeHook.OUTPUT;
        boolean leaves = packet.hook() != ProbeHook.INPUT;
        String in = arrives ? devices.get(packet.number(ProbeField.IN)) : "";
        String out = leaves ? devices.get(packet.number(ProbeField.OUT)) : "";
        String hook = packet.hook().name().toLowerCase(Locale.ROOT);
        return read.computeIfAbsent(
                String.join(" ", file.toString(), hook, in, out),
                key -> {
                    Assumptions all = new Assumptions(assumed, in, out);
                    return PolicyFile.read(file, new PolicyOptions(hook, all, false));
                });
    }

    String words() {
        return words;
    }

    /** Compares the answers about a packet. */
    Result compare(ProbePacket packet, KernelAnswer kernel) {
        if (kernel.steps().isEmpty()) {
            return Result.NONE; // reassembly took the fragment
        }
        Result last = Result.NONE;
        for (Path file : files) {
            last = compare(file, packet, kernel);
            if (last == Result.DIFFERS) {
                break;
            }
        }
        return last;
    }

    private Result compare(Path file, ProbePacket packet, KernelAnswer kernel) {
        int[] header = ProbeHeader.words(packet);
        Field.MARK.put(header, packet.number(ProbeField.MARK));
        Answer answer = policy(file, packet).flat().judge(header);
        if (answer == null) {
            words = file.getFileName() + ": not judged; kernel " + kernel;
            return Result.DIFFERS;
        }
        if (answer.outcome() == Outcome.DEPENDS) {
            return Result.DEPENDS;
        }
        boolean json = file.toString().endsWith(".json");
        List<Integer> expected = new ArrayList<>();
        for (Step step : kernel.steps()) {
            Integer line =
                    step.isEnd() ? held.ends().get(step.where()) : Integer.valueOf(step.rule());
            expected.add(json ? held.jsonLines().get(line) : line);
        }
        boolean passes = answer.outcome() == Outcome.PERMIT;
        int line = answer.rule().origin().line();
        String chain = answer.rule().origin().chain();
        List<String> chains = kernel.steps().stream().map(Step::chain).toList();
        boolean given = file.endsWith(GIVEN);
        boolean last =
                given
                        ? chain.equals(chains.get(chains.size() - 1))
                        : Integer.valueOf(line).equals(expected.get(expected.size() - 1));
        if (packet.number(ProbeField.FRAGMENT) == 1 && !kernel.passed() && (passes || !last)) {
            return Result.NONE; // reassembly took it behind these rules
        }
        boolean sameLine =
                !passes ? last : given ? chains.contains(chain) : expected.contains(line);
        if (passes != kernel.passed() || answer.sure() && !sameLine) {
            words =
                    "%s: kernel %s %s at lines %s, importer %s at line %d"
                            .formatted(
                                    file.getFileName(),
                                    kernel.passed() ? "passes" : "drops",
                                    kernel.steps(),
                                    expected,
                                    answer.outcome(),
                                    line);
            return Result.DIFFERS;
        }
        return passes ? Result.PASSES : Result.DENIES;
    }
}
