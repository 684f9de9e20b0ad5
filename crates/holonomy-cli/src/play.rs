use crate::{
    ModelArguments,
    failure::Failure,
    input::Input,
    interrupt,
    page::{BrowserArguments, announce},
};
use holonomy_host::{
    play::{Opened, PLAYGROUND, fragment},
    serve::{Body, Reply, Request, Server},
};
use holonomy_model::{self as model, Source, scenario};

/// Opens the playground in the browser: sliders, two methods side by side, live plots
#[derive(clap::Args)]
pub(crate) struct Play {
    /// Name of a scenario (see `holonomy list`) or path of a model file to open with
    #[arg(value_name = "NAME|FILE")]
    model: Option<String>,
    /// Sets any key of the model first: chain.links=64
    #[arg(long, value_name = "KEY=VALUE", requires = "model")]
    set: Vec<String>,
    #[command(flatten)]
    browser: BrowserArguments,
}

impl Play {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let fragment = match &self.model {
            None => String::new(),
            Some(name) => self.opened(name)?,
        };
        let stop = interrupt::flag();
        let server = Server::open()?;
        announce(&(server.address() + &fragment), &self.browser)?;
        server.serve(stop, &|request: &Request| match request.page.as_str() {
            "" => Reply::Page(Body::Fixed(PLAYGROUND)),
            _ => Reply::Missing,
        });
        Ok(())
    }

    /// What the address says of the model. One that cannot be loaded is refused here, with its messages.
    fn opened(&self, name: &str) -> Result<String, Failure> {
        let input = Input::with_keys(&ModelArguments::named(name, &self.set))?;
        let model = input.load(false)?;
        Ok(match (scenario::find(name), self.set.is_empty()) {
            (Some(scenario), true) => fragment(Opened::Scenario(scenario.name)),
            // As it was written, with its comments, unless it names files: a page has none.
            (None, true) if model::load(&Source::new(name, input.source.text())).is_ok() => {
                fragment(Opened::Text(input.source.text()))
            }
            _ => fragment(Opened::Text(&model.to_toml())),
        })
    }
}
