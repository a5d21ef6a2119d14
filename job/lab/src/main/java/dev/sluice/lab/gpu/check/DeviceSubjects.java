package dev.sluice.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.EngineSubject;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.Subject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Subjects of the engine's tests that answer by a device, and stories for them. */
final class DeviceSubjects {
    private static final int[] SIZES = {1, 33, 1000};
    static final int HEADERS = 2000;
    static final long SEED = 77;

    private DeviceSubjects() {}

    /** Random rules of every shape, few and many, that do not change. */
    static List<RuleStory> fixed() {
        List<RuleStory> stories = new ArrayList<>();
        for (Shape shape : Shape.values()) {
            for (int size : new int[] {1, 40, 300}) {
                stories.add(RuleStory.random(SEED + size, shape, size, 0, HEADERS));
            }
        }
        return stories;
    }

    /** Rules of some shapes that change. */
    static List<RuleStory> changing() {
        List<RuleStory> stories = new ArrayList<>();
        for (Shape shape : List.of(Shape.ACCESS_LIST, Shape.OPENFLOW)) {
            ChangingRules rules = new ChangingRules(SEED, shape, 300);
            for (int step = 0; step < 40; step++) {
                int most = step == 30 ? 120 : 12;
                rules.replace(rules.below(most), rules.below(most));
            }
            stories.add(rules.story("changing-" + shape.label(), 400));
        }
        return stories;
    }

    /** Each kernel of an algorithm's form, in every offload mode and batch size. */
    static List<Subject> kernels(GpuDevice device, Form form) {
        List<Subject> all = new ArrayList<>();
        for (Kernel kernel :
                Algorithm.of(form.choice()).map(Algorithm::kernels).orElse(List.of())) {
            String name = kernel.name();
            all.add(
                    Subject.of(
                            form.label() + "-" + name, rules -> lookUp(device, form, name, rules)));
        }
        return all;
    }

    private static Subject.LookUp lookUp(
            GpuDevice device, Form form, String kernel, RuleSet rules) {
        Classifier classifier = form.compile(rules);
        if (KernelCatalog.parameters(kernel, classifier.image()) == null) {
            throw new Subject.NotServed("the kernel cannot read this image");
        }
        return headers -> {
            int[] first = new int[headers.size()];
            Arrays.fill(first, Integer.MIN_VALUE);
            KernelRuns.over(
                    device,
                    classifier,
                    kernel,
                    headers,
                    SIZES,
                    found -> {
                        for (int i = 0; i < found.length; i++) {
                            if (first[i] == Integer.MIN_VALUE) {
                                first[i] = found[i];
                            } else if (first[i] != found[i]) {
                                throw new IllegalStateException(
                                        "two hand-overs disagree on header " + i);
                            }
                        }
                    });
            return first;
        };
    }

    /** Rules that change in an engine whose batches all go to a device, by a hand-over. */
    static Subject engine(int device, Form form, String handOver) {
        EngineOptions options =
                form.options()
                        .withGpu(new GpuPool.Selection(false, List.of(device)))
                        .withOffload(OffloadPreference.parse(handOver).decided());
        return EngineSubject.of(
                form.label() + "-" + handOver, options, DeviceSubjects::requireOnDevice);
    }

    private static void requireOnDevice(Engine engine) {
        EngineFigures figures = engine.figures();
        if (!engine.current().onDevice()) {
            throw new Subject.NotServed("no kernel reads its image");
        }
        if (figures.fallBacks() > 0 || figures.cpuBatches() > 0) {
            throw new IllegalStateException("the CPU answered in the device's place");
        }
    }
}
