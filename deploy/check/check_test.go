// Package check renders the deployment files with the code of the tools that
// will read them. It is a module of its own, because those are large.
package check

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// kustomize renders the manifests, and every field is one that Kubernetes has.
func TestKubernetes(t *testing.T) {
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "../kubernetes")
	require.NoError(t, err)
	strict := map[string]any{
		"Namespace": &corev1.Namespace{}, "ServiceAccount": &corev1.ServiceAccount{}, "ConfigMap": &corev1.ConfigMap{}, "Service": &corev1.Service{},
		"Deployment": &appsv1.Deployment{}, "Ingress": &networkingv1.Ingress{}, "NetworkPolicy": &networkingv1.NetworkPolicy{}, "PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
	}
	require.Len(t, rendered.Resources(), len(strict))
	for _, resource := range rendered.Resources() {
		raw, err := resource.AsYAML()
		require.NoError(t, err)
		into, known := strict[resource.GetKind()]
		require.True(t, known, resource.GetKind())
		require.NoError(t, yaml.UnmarshalStrict(raw, into), resource.GetKind())
	}

	deployment := strict["Deployment"].(*appsv1.Deployment)
	pod := deployment.Spec.Template.Spec
	app := pod.Containers[0]
	assert.Equal(t, deployment.Spec.Selector.MatchLabels, strict["Service"].(*corev1.Service).Spec.Selector)
	assert.Equal(t, deployment.Spec.Selector.MatchLabels, strict["PodDisruptionBudget"].(*policyv1.PodDisruptionBudget).Spec.Selector.MatchLabels)
	assert.Equal(t, strict["ConfigMap"].(*corev1.ConfigMap).Name, app.EnvFrom[0].ConfigMapRef.Name)
	assert.Subset(t, deployment.Spec.Template.Labels, deployment.Spec.Selector.MatchLabels)
	assert.GreaterOrEqual(t, *deployment.Spec.Replicas, int32(2))
	assert.Zero(t, deployment.Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue())
	for _, probe := range []*corev1.Probe{app.StartupProbe, app.ReadinessProbe, app.LivenessProbe} {
		require.NotNil(t, probe)
	}
	assert.Equal(t, "/readyz", app.ReadinessProbe.HTTPGet.Path)
	assert.Equal(t, "/livez", app.LivenessProbe.HTTPGet.Path)
	assert.True(t, *pod.SecurityContext.RunAsNonRoot)
	assert.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
	assert.True(t, *app.SecurityContext.ReadOnlyRootFilesystem)
	assert.False(t, *app.SecurityContext.AllowPrivilegeEscalation)
	assert.Equal(t, []corev1.Capability{"ALL"}, app.SecurityContext.Capabilities.Drop)
	for _, env := range app.Env { // what is secret stands in no manifest
		require.NotNil(t, env.ValueFrom.SecretKeyRef, env.Name)
	}
}

// The compose file is loaded, interpolated and checked against its schema.
func TestCompose(t *testing.T) {
	needed := []string{"POSTGRES_PASSWORD=p", "S3_SECRET=s", "SMTP_URL=smtp://mail:587", "MAIL_FROM=a@example.com", "ADMIN_EMAIL=a@example.com", "ADMIN_PASSWORD=x"}
	load := func(env ...string) error {
		options, err := cli.NewProjectOptions([]string{"../compose.yaml"}, cli.WithEnv(env))
		require.NoError(t, err)
		project, err := options.LoadProject(context.Background())
		if err != nil {
			return err
		}
		for _, name := range []string{"simora-1", "simora-2"} {
			app := project.Services[name]
			assert.True(t, app.ReadOnly)
			assert.Equal(t, "65532:65532", app.User)
			assert.Equal(t, []string{"ALL"}, app.CapDrop)
			assert.Empty(t, app.Ports, "only the proxy is reached from outside")
			raw, err := os.ReadFile(filepath.Join(app.Build.Context, app.Build.Dockerfile))
			require.NoError(t, err)
			assert.NotEmpty(t, raw)
		}
		assert.Equal(t, project.Services["simora-1"].Environment, project.Services["simora-2"].Environment)
		assert.Equal(t, project.Networks["default"].Ipam.Config[0].Subnet, *project.Services["simora-1"].Environment["SIMORA_TRUSTED_PROXIES"])
		return nil
	}
	require.NoError(t, load(needed...))
	for i := range needed {
		missing := append(append([]string{}, needed[:i]...), needed[i+1:]...)
		require.Error(t, load(missing...), "without %s", needed[i])
	}
}

// BuildKit understands the Dockerfile and finds nothing to warn of.
func TestDockerfile(t *testing.T) {
	raw, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	parsed, err := parser.Parse(bytes.NewReader(raw))
	require.NoError(t, err)
	assert.Empty(t, parsed.Warnings)
	warn := func(rule, _, _, message string, _ []parser.Range) { t.Errorf("%s: %s", rule, message) }
	stages, _, err := instructions.Parse(parsed.AST, linter.New(&linter.Config{Warn: warn}))
	require.NoError(t, err)
	last := stages[len(stages)-1]
	assert.Equal(t, "scratch", last.BaseName)
	var user string
	for _, command := range last.Commands {
		if u, ok := command.(*instructions.UserCommand); ok {
			user = u.User
		}
	}
	assert.Equal(t, "65532:65532", user)
}
