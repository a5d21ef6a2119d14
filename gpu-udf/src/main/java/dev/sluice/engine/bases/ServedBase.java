package dev.sluice.engine.bases;

import dev.sluice.engine.choice.Compiled;
import dev.sluice.engine.choice.Compiler;
import dev.sluice.engine.choice.FollowingBases;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.image.HeapBudget;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.AdaptiveFlowCache;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.CacheCounts;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.FlowCache;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.versions.Base;
import dev.sluice.engine.versions.VersionView;
import dev.sluice.engine.versions.VersionedRules;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A compiled base as an engine serves it: on the CPU, with or without a flow cache in front, and on
 * a device, which looks into the CPU's image or one of its own. The cache remembers verdicts of the
 * base, which never change, so versions over it share it. What a device holds of it goes with the
 * last version. Thread-safe.
 */
public final class ServedBase {
    private static final Logger LOG = LoggerFactory.getLogger(ServedBase.class);

    private final Base base;
    private final String explanation;
    private final long buildNanos;
    private final Serving serving;
    private final @Nullable GpuClassifier gpu;

    /** Compiles the bases that follow, and may keep what it needs to let them grow. */
    private final FollowingBases following;

    private final CompletableFuture<Void> all = new CompletableFuture<>();

    /** Versions that use it. */
    private final AtomicInteger users = new AtomicInteger();

    private ServedBase(
            RuleSet rules,
            Compiled compiled,
            long start,
            FollowingBases following,
            Serving serving,
            @Nullable ServedBase before) {
        this.buildNanos = System.nanoTime() - start;
        this.following = following;
        this.serving = serving;
        Classifier plain = compiled.classifier();
        Classifier cpu = cached(plain, serving.flowCacheEntries(), before);
        this.base = new Base(rules, cpu);
        Image image = compiled.deviceImage();
        GpuPool.Use device = serving.device();
        this.gpu =
                device == null
                        ? null
                        : device.classifier(plain, cpu, image, rules, serving.offload());
        this.explanation = gpu == null ? compiled.explanation() : compiled.explanationOnDevice();
    }

    private static Classifier cached(Classifier plain, int entries, @Nullable ServedBase before) {
        if (entries == FlowCache.AUTO_ENTRIES) {
            return before != null && before.cache() instanceof AdaptiveFlowCache known
                    ? known.next(plain)
                    : new AdaptiveFlowCache(plain);
        }
        return entries > 0 ? new FlowCache(plain, entries) : plain;
    }

    /** Compiles rules. */
    public static ServedBase compile(RuleSet rules, Serving serving) {
        long start = System.nanoTime();
        Compiler compiler = new Compiler(serving.compile());
        Compiled compiled = compiler.compileExplained(rules, serving.device());
        FollowingBases following = compiler.following(compiled, rules.size(), serving.device());
        return new ServedBase(rules, compiled, start, following, serving, null);
    }

    /** Compiles the base that follows this one. */
    ServedBase next(RuleSet rules) {
        long start = System.nanoTime();
        Compiled compiled = following.compile(rules, gpu != null);
        return new ServedBase(rules, compiled, start, following, serving, this);
    }

    /** Returns the base that versions over it share. */
    public Base base() {
        return base;
    }

    /** The algorithm of the CPU. */
    public Algorithm algorithm() {
        return Algorithm.ofCode(base.classifier().image().algorithm());
    }

    /** The algorithm of the device; null where none serves the rules. */
    public @Nullable Algorithm deviceAlgorithm() {
        return gpu == null ? null : Algorithm.ofCode(gpu.deviceImage().algorithm());
    }

    /** Why the rules were compiled so: one readable line. */
    public String explanation() {
        return explanation;
    }

    /** Nanoseconds that compiling took, the choice of an algorithm included. */
    public long buildNanos() {
        return buildNanos;
    }

    /** The look-up on a device; null for none. */
    public @Nullable GpuClassifier gpu() {
        return gpu;
    }

    /** Counts of the flow cache; null for none. */
    public @Nullable CacheCounts cache() {
        return base.classifier() instanceof CacheCounts counts ? counts : null;
    }

    /** Builds what removals need. */
    void buildAll() {
        try {
            base.buildAll(HeapBudget.within(serving.budgetBytes()));
            all.complete(null);
        } catch (RuntimeException | Error e) {
            all.completeExceptionally(e); // or a waiting thread would wait for ever
            if (e instanceof Error error) {
                throw error;
            }
        }
    }

    /** Ends all waits: nothing more is built. */
    public void giveUp() {
        all.completeExceptionally(new IllegalStateException("the engine is closed"));
    }

    /** Waits for what removals need; false if there is no room for it. */
    public boolean awaitRemovals() {
        try {
            all.join();
            return true;
        } catch (CompletionException e) {
            if (e.getCause() instanceof MemoryBudgetException) {
                return false;
            }
            throw new IllegalStateException("rules could not be prepared for removals", e);
        }
    }

    /** Starts on a batch under a version over this base. */
    public PendingVerdicts submit(VersionView version, HeaderBatch headers, VerdictBatch verdicts) {
        if (gpu != null) {
            return gpu.submit(version, headers, verdicts);
        }
        version.classify(headers, verdicts);
        return PendingVerdicts.READY;
    }

    /**
     * Rules over this base are about to change: the device follows them, if it has room. To be
     * called before their first change; ends with {@link #ended}.
     */
    public void follow(VersionedRules rules) {
        if (gpu == null) {
            return;
        }
        try {
            gpu.follow(rules.noteChanges());
        } catch (GpuException e) {
            LOG.warn(
                    "device {} does not follow changes of the rules: {}; the CPU looks up what changed",
                    gpu.device().context().number(),
                    e.getMessage());
        }
    }

    /** A version of rules over this base was closed; with the last one, the device forgets them. */
    void ended(VersionedRules rules) {
        if (gpu != null && !rules.isInUse()) {
            gpu.unfollow(rules.noteChanges());
        }
    }

    /** A version uses it. */
    void retain() {
        users.incrementAndGet();
    }

    /** A version uses it no more; after the last one, the device gives back what it holds. */
    void release() {
        if (users.decrementAndGet() == 0) {
            drop();
        }
    }

    /** Gives back what a device holds, for a base that no version ever used, too. */
    public void drop() {
        if (gpu != null) {
            gpu.close();
        }
    }

    /** Bytes on a device, and on the host of an image that only the device looks into. */
    public long deviceBytes() {
        return gpu == null ? 0 : gpu.bytes() - gpu.image().bytes();
    }
}
